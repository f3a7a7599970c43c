// Forms that need a confirmation: the button works only once the field "confirm" contains
// the word, such as <form data-arm="DELETE">. The server checks the word too.
export function armForms() {
  for (const form of document.querySelectorAll("form[data-arm]")) {
    const field = form.elements.namedItem("confirm");
    const button = form.querySelector("button.danger");
    const arm = () => (button.disabled = field.value !== form.dataset.arm);
    field.addEventListener("input", arm);
    arm();
  }
}
