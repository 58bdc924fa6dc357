/** After a refusal: moves the focus to the first field with an error, which may be out of view in a long form. */
export function focusFirstError(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('dialog [aria-invalid="true"], main form [aria-invalid="true"]')?.focus(),
  );
}
