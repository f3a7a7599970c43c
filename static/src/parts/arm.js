// A form that must be armed: its button works once the field says the word. The server asks for the
// word as well. <form data-arm="DELETE"> with an input name="confirm".
export function armForms() {
  for (const form of document.querySelectorAll("form[data-arm]")) {
    const field = form.elements.namedItem("confirm");
    const button = form.querySelector("button.danger");
    const arm = () => (button.disabled = field.value !== form.dataset.arm);
    field.addEventListener("input", arm);
    arm();
  }
}
