// The script of every page: htmx, and the few things that need a script everywhere.
import "htmx.org";
import { armForms } from "./parts/arm.js";
import { chartKeys } from "./parts/arrows.js";
import { colourCode } from "./parts/colour.js";
import { copyButtons } from "./parts/copy.js";
import { keyHelp } from "./parts/keys.js";
import { closeMenus } from "./parts/menu.js";
import { palette } from "./parts/palette.js";
import { keepTimes } from "./parts/time.js";

copyButtons();
keyHelp();
keepTimes();
armForms();
closeMenus();
chartKeys();
palette();
colourCode();
document.addEventListener("htmx:after:swap", colourCode);
document.documentElement.dataset.ready = "";
