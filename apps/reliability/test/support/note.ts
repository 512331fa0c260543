/** Sets the figure of a test on the page of reliability. */
export const note = (task: { readonly meta: object }, figure: string): void =>
  void Object.assign(task.meta, { figure })
