// Sheets are the queries that a user works on. The browser keeps them, separately for
// each user, so that drafts survive a reload and a new sign-in. Each tab shows a sheet of its own, also after a reload.
// A sheet is given if a link or an example filled it and nobody has edited it. Beyond most sheets, the oldest given one goes.
const most = 20;

const blank = (text, name) => ({ id: Math.random().toString(36).slice(2), name, text, given: text !== "" });

export function keep(user) {
  const key = `segraph.query.${user}`;
  let state = { sheets: [], shown: "" };
  const current = () => state.sheets.find((s) => s.id === state.shown);
  function read() {
    try {
      const stored = JSON.parse(localStorage.getItem(key));
      if (stored?.sheets.every((s) => s.id)) state = stored;
      const own = sessionStorage.getItem(key);
      if (state.sheets.some((s) => s.id === own)) state.shown = own;
    } catch {
      // Nothing is stored or can be read, so these sheets last as long as the page.
    }
  }
  read();

  // change changes the sheets as they are stored now, because another tab may have changed them.
  function change(how) {
    const mine = current();
    read();
    if (mine) {
      state.shown = mine.id;
      if (!current()) state.sheets.push(mine); // closed in another tab, and shown in this one
    }
    how();
    try {
      localStorage.setItem(key, JSON.stringify(state));
      sessionStorage.setItem(key, state.shown);
    } catch {
      // Nothing can be stored; see read.
    }
  }
  return {
    current,
    sheets: () => state.sheets,
    choose(sheet) {
      state.shown = sheet.id; // before the change, which keeps the shown sheet even if another tab has closed it
      change(() => {});
    },
    // add adds a sheet, or selects the one that has the text.
    add(text, name = "") {
      change(() => {
        let sheet = state.sheets.find((s) => s.text === text);
        if (!sheet) {
          const old = state.sheets.length >= most && state.sheets.find((s) => s.given);
          state.sheets = state.sheets.filter((s) => s !== old);
          state.sheets.push(sheet = blank(text, name));
        }
        state.shown = sheet.id;
      });
    },
    // edit changes the text of the sheet in view. Its name stays only if it is that of a saved query.
    edit(text, saved) {
      change(() => {
        const sheet = current();
        if (sheet.text === text) return;
        Object.assign(sheet, { text, given: false, name: sheet.name === saved ? saved : "" });
      });
    },
    close(sheet) {
      change(() => {
        const at = state.sheets.findIndex((s) => s.id === sheet.id);
        state.sheets = state.sheets.filter((s) => s.id !== sheet.id);
        if (!state.sheets.length) state.sheets.push(blank("", ""));
        if (!current()) state.shown = (state.sheets[at] ?? state.sheets.at(-1)).id;
      });
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
  place.replaceChildren(...kept.sheets().map((sheet, i, all) => {
    const item = document.createElement("span");
    const name = title(sheet, i);
    const open = button(name, "", () => choose(sheet));
    open.setAttribute("aria-pressed", String(sheet === kept.current()));
    item.toggleAttribute("data-current", sheet === kept.current());
    item.append(open);
    if (all.length > 1) {
      const shut = button("×", `Close ${name}`, () => close(sheet));
      shut.className = "close";
      item.append(shut);
    }
    return item;
  }), button("+", "New query", fresh));
  const over = place.querySelector("[data-current]")?.getBoundingClientRect().right - place.lastChild.getBoundingClientRect().left; // the last one is always in sight
  if (over > 0) place.scrollLeft += over;
}
