// faults lists what a person would see at once on the page, and axe-core does not find: icons that
// grew, text that is hard to read in a state of its control, and text that is cut or covered.
(() => {
  const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const named = (e) => `<${e.tagName.toLowerCase()} class="${e.getAttribute("class") ?? ""}"> ${(e.textContent || e.value || "").trim().slice(0, 60)}`;
  const faults = [];

  // Icons are those of the sprite, and pictures with a square plane; charts have a role.
  for (const e of document.querySelectorAll("svg:not([role])")) {
    const plane = e.viewBox.baseVal, box = e.getBoundingClientRect();
    if ((e.matches(".icon") || plane?.width > 0 && plane.width === plane.height) && Math.max(box.width, box.height) > 32) {
      faults.push(`an icon is ${Math.round(box.width)} pixels wide: ${e.outerHTML.slice(0, 120)}`);
    }
  }

  // The styles of states also hold for attributes, with the same weight and order.
  const extend = (rules) => {
    for (const rule of rules) {
      if (rule.cssRules?.length) extend(rule.cssRules);
      if (/:(hover|active)\b/.test(rule.selectorText ?? "") && !rule.selectorText.includes("[data-is-")) {
        rule.selectorText += ", " + rule.selectorText.replace(/:(hover|active)\b/g, "[data-is-$1]");
      }
    }
  };
  for (const sheet of document.styleSheets) extend(sheet.cssRules);

  const colour = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const blend = ([r, g, b, a = 1], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // contrast returns that of an element's text with what is behind it (WCAG 2.2, 1.4.3).
  const contrast = (e) => {
    const layers = [];
    let brightness = 1, opacity = 1;
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      layers.unshift(colour(style.backgroundColor));
      brightness *= Number(style.filter.match(/brightness\(([\d.]+)\)/)?.[1] ?? 1);
      opacity *= Number(style.opacity);
    }
    const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
    const behind = layers.reduce((under, layer) => blend(layer, under), canvas);
    const [r, g, b, a = 1] = colour(getComputedStyle(e).color);
    const [high, low] = [blend([r, g, b, a * opacity], behind), behind]
      .map((c) => light(c.map((v) => Math.min(255, v * brightness)))).sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const chain = (e) => (e ? [e, ...chain(e.parentElement)] : []);
  const within = (name, list, look) => {
    for (const e of list) e.setAttribute(name, "");
    look();
    for (const e of list) e.removeAttribute(name);
  };
  const seen = new Map();
  for (const e of document.querySelectorAll("a, button, summary, input:not([type=checkbox], [type=radio], [type=range], [type=hidden]), select, textarea")) {
    const kind = chain(e).slice(0, 4).map((x) => `${x.tagName}.${x.getAttribute("class") ?? ""}${x.getAttribute("aria-current") ?? ""}`).join(" ");
    if (!visible(e) || e.closest("svg") || !(e.textContent || e.value || "").trim() || seen.get(kind) > 1) continue;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const check = (state) => {
      const got = contrast(e);
      if (got < 4.5) faults.push(`the contrast is ${got.toFixed(1)} ${state}: ${named(e)}`);
    };
    const hovered = (state) => within("data-is-hover", chain(e), () => {
      check(`${state}, hovered`);
      within("data-is-active", chain(e), () => check(`${state}, held down`));
    });
    check("at rest");
    hovered("at rest");
    if (e.tagName === "BUTTON") {
      const pressed = e.getAttribute("aria-pressed");
      e.setAttribute("aria-pressed", "true");
      check("pressed");
      hovered("pressed");
      if (pressed === null) e.removeAttribute("aria-pressed"); else e.setAttribute("aria-pressed", pressed);
    }
    if ("disabled" in e && !e.disabled) {
      e.disabled = true;
      check("disabled");
      hovered("disabled");
      e.disabled = false;
    }
  }

  // Text that an element cuts without saying so. Line clamps and ellipses say it. A script scrolls
  // the numbers of lines and what is under a field, and a drawing may be larger than its frame.
  for (const e of document.querySelectorAll("body *")) {
    const style = getComputedStyle(e);
    const cut = (over, axis) => over > 2 && ["hidden", "clip"].includes(axis);
    if (e.closest("svg, .visually-hidden, .lines, .painted") || e.querySelector("svg:not(.icon)") || !e.innerText?.trim() || !visible(e) || style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none" || style.clipPath !== "none") continue;
    if (cut(e.scrollWidth - e.clientWidth, style.overflowX) || cut(e.scrollHeight - e.clientHeight, style.overflowY)) {
      faults.push(`text is cut: ${named(e)}`);
    }
  }

  // Lines of text that cover each other. What is placed above the page on purpose does not count.
  const floats = (e) => chain(e).some((x) => ["absolute", "fixed", "sticky"].includes(getComputedStyle(x).position));
  const clipped = (e, box) => chain(e).every((x) => {
    if (getComputedStyle(x).overflow === "visible") return true;
    const frame = x.getBoundingClientRect();
    return box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1 && box.left >= frame.left - 1 && box.right <= frame.right + 1;
  });
  const lines = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || !visible(e) || e.closest("#drawing, #chain, .visually-hidden, script, template, title, option") || floats(e)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1 && clipped(e, box)) lines.push({ box, e });
  }
  lines.sort((a, b) => a.box.top - b.box.top);
  lines.forEach((a, i) => {
    for (let k = i + 1; k < lines.length && lines[k].box.top < a.box.bottom; k++) {
      const b = lines[k];
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - b.box.top;
      if (a.e !== b.e && wide > 3 && high > Math.min(a.box.height, b.box.height) / 2) faults.push(`texts cover each other: ${named(a.e)} and ${named(b.e)}`);
    }
  });
  return [...new Set(faults)].slice(0, 20);
})()
