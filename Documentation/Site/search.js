// search.js: the search of the start page. ENTRIES, which scripts/site-pages writes, has what can be found: [name, where it stands, path].
const field = document.getElementById("search"), list = document.getElementById("found");
const MOST = 30;

function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), first = words[0] ?? "";
    // What is called so, what has a word that begins so, the others.
    const rank = ([name]) => name.toLowerCase() === first ? 0 : ` ${name.toLowerCase()}`.includes(` ${first}`) ? 1 : 2;
    const all = words.length ? ENTRIES.filter(([name, place]) => words.every(word => `${name} ${place}`.toLowerCase().includes(word))) : [];
    all.sort((one, other) => rank(one) - rank(other) || one[0].length - other[0].length);
    list.replaceChildren(...all.slice(0, MOST).map(([name, place, path]) => {
        const item = document.createElement("li"), link = document.createElement("a");
        link.href = path;
        link.textContent = name;
        item.append(link, ` – ${place}`);
        return item;
    }));
    if (words.length && !all.length) list.textContent = "Nothing has these words in its name or heading.";
    if (all.length > MOST) list.append(`and ${all.length - MOST} more: add a word`);
}

field.addEventListener("input", show);
show();
