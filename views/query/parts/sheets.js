// Sheets are the queries that a user works on. The browser keeps them, separately for
// each user, so that drafts survive a reload and a new sign-in. Queries that an older
// version saved in the browser stay until the user forgets them.
const most = 20;

export function keep(user) {
  const key = `segraph.query.${user}`;
  let state = { sheets: [], current: 0, saved: [] };
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    if (Array.isArray(kept?.sheets) && Array.isArray(kept?.saved)) state = kept;
  } catch {
    // if the sheets can't be read, start with none
  }
  const write = () => {
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      // storage is full or forbidden: drafts last as long as the page
    }
  };
  return {
    state,
    current: () => state.sheets[state.current],
    write,
    // add adds a sheet, or selects the one that has the text.
    add(text, name) {
      const same = state.sheets.findIndex((s) => s.text === text);
      if (same >= 0) state.current = same;
      else {
        state.sheets.push({ name: name ?? "", text });
        if (state.sheets.length > most) state.sheets.shift();
        state.current = state.sheets.length - 1;
      }
      write();
    },
    close(i) {
      state.sheets.splice(i, 1);
      if (state.current > i || state.current >= state.sheets.length) state.current = Math.max(0, state.current - 1);
      write();
    },
    forget(name) {
      state.saved = state.saved.filter((s) => s.name !== name);
      write();
    },
  };
}

// title returns the title of a sheet: its name, the first comment of its query, or its
// number.
export function title(sheet, i) {
  if (sheet.name) return sheet.name;
  const comment = /^#\s*(.+)$/m.exec(sheet.text)?.[1];
  return comment ? comment.slice(0, 40) : `Query ${i + 1}`;
}

function button(text, label, press) {
  const b = document.createElement("button");
  b.type = "button";
  b.textContent = text;
  if (label) b.setAttribute("aria-label", label);
  b.addEventListener("click", press);
  return b;
}

// show draws the row of sheets and handles their buttons.
export function show(place, kept, { choose, close, fresh }) {
  place.hidden = false;
  place.replaceChildren(...kept.state.sheets.map((sheet, i) => {
    const item = document.createElement("span");
    const name = title(sheet, i);
    const open = button(name, "", () => choose(i));
    open.setAttribute("aria-pressed", String(i === kept.state.current));
    item.toggleAttribute("data-current", i === kept.state.current);
    item.append(open);
    if (kept.state.sheets.length > 1) {
      const shut = button("×", `Close ${name}`, () => close(i));
      shut.className = "close";
      item.append(shut);
    }
    return item;
  }), button("+", "New query", fresh));
  const over = place.querySelector("[data-current]")?.getBoundingClientRect().right - place.getBoundingClientRect().right;
  if (over > 0) place.scrollLeft += over;
}

// shelf draws the queries that an older version saved.
export function shelf(place, kept, { open, forget }) {
  place.hidden = kept.state.saved.length === 0;
  place.querySelector("ul").replaceChildren(...kept.state.saved.map((s) => {
    const item = document.createElement("li");
    const name = button(s.name, "", () => open(s));
    name.className = "name";
    const gone = button("×", `Forget ${s.name}`, () => forget(s.name));
    gone.className = "quiet mini";
    item.append(name, gone);
    return item;
  }));
}
