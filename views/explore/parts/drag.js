// drag moves a node of the picture, with straight lines to it, until the server redraws
// the picture.
export function drag(svg, node) {
  const place = (n) => n.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
  const from = node.getAttribute("transform");
  const [x, y] = place(node);
  const nodes = [...svg.querySelectorAll(".node")];
  const self = nodes.indexOf(node);
  const lines = [];
  for (const line of svg.querySelectorAll(".edge")) {
    const ends = line.dataset.ends.split(" ").map(Number);
    if (ends.includes(self) && ends[0] !== ends[1]) lines.push({ line, to: place(nodes[ends[0] === self ? ends[1] : ends[0]]), out: ends[0] === self, was: line.querySelector(".line").getAttribute("d") });
  }
  const draw = (l, d) => l.line.querySelectorAll("path").forEach((p) => p.setAttribute("d", d));
  return {
    node,
    x,
    y,
    to(dx, dy) {
      [this.x, this.y] = [x + dx, y + dy];
      node.classList.add("held");
      node.setAttribute("transform", `translate(${this.x} ${this.y})`);
      for (const l of lines) {
        l.line.querySelectorAll("text").forEach((t) => t.setAttribute("visibility", "hidden"));
        const far = Math.hypot(l.to[0] - this.x, l.to[1] - this.y) || 1;
        const beside = (p, q) => p.map((v, i) => v + ((q[i] - v) / far) * 14);
        const ends = [beside([this.x, this.y], l.to), beside(l.to, [this.x, this.y])];
        if (!l.out) ends.reverse();
        draw(l, `M${ends[0].join(" ")}L${ends[1].join(" ")}`);
      }
    },
    back() {
      node.classList.remove("held");
      node.setAttribute("transform", from);
      for (const l of lines) {
        draw(l, l.was);
        l.line.querySelectorAll("text").forEach((t) => t.removeAttribute("visibility"));
      }
    },
  };
}
