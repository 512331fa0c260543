/** Sets the figure of a test for the page about reliability. */
export const note = (task: { readonly meta: object }, figure: string): void =>
  void Object.assign(task.meta, { figure })
