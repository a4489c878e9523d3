import SerialQueue
import SerialQueueTesting

/// A cache looks, loads, and stores.
extension Program {
    static let cacheFilledTwice = Program(name: "cache filled twice") { pool in
        let server = Server()
        let cache = Cache(server)
        async let first = cache.page("index")
        async let second = cache.page("index")
        _ = await (first, second)
        try pool.require(await server.requests == 1, "the page was loaded twice")
    } correct: { pool in
        let server = Server()
        let cache = Cache(server)
        async let first = cache.pageOnce("index")
        async let second = cache.pageOnce("index")
        _ = await (first, second)
        try pool.require(await server.requests == 1, "the page was loaded twice")
    }

    private actor Server {
        private(set) var requests = 0

        func load(_ name: String) -> String {
            requests += 1
            return "<h1>\(name)</h1>"
        }
    }

    private actor Cache {
        private let server: Server
        private var pages: [String: String] = [:]
        private var loads: [String: Task<String, Never>] = [:]

        init(_ server: Server) {
            self.server = server
        }

        func page(_ name: String) async -> String {
            if let page = pages[name] { return page }
            let page = await server.load(name)
            pages[name] = page
            return page
        }

        func pageOnce(_ name: String) async -> String {
            if let load = loads[name] { return await load.value }
            let load = Task { await server.load(name) }
            loads[name] = load
            return await load.value
        }
    }
}
