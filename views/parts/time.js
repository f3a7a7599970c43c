// Keeps relative times, such as "in 2 hours", current in <time datetime="…"
// data-relative>, and offers the time zone of the device where one is chosen.
const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

export function relative(time, now = Date.now()) {
  const seconds = (time - now) / 1000;
  if (Math.abs(seconds) < 1) return "just now";
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? units.at(-1);
  return words.format(Math.trunc(seconds / size), unit);
}

export function keepTimes() {
  const offer = document.querySelector("[data-device-zone]");
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (offer && timeZone && offer.form.elements.zone.value !== timeZone) {
    offer.value = timeZone;
    offer.textContent = `This device’s: ${timeZone}`;
    offer.hidden = false;
  }
  const write = () => {
    for (const element of document.querySelectorAll("time[data-relative]")) {
      element.textContent = relative(Date.parse(element.dateTime));
    }
  };
  write();
  setInterval(write, 10_000);
}
