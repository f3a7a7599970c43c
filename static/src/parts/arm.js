// Forms that must be armed: the button works only once the field contains the word. The
// server checks the word too. <form data-arm="DELETE"> with an input name="confirm".
export function armForms() {
  for (const form of document.querySelectorAll("form[data-arm]")) {
    const field = form.elements.namedItem("confirm");
    const button = form.querySelector("button.danger");
    const arm = () => (button.disabled = field.value !== form.dataset.arm);
    field.addEventListener("input", arm);
    arm();
  }
}
