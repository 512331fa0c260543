/** Records a test's figure for the page about reliability. */
export const note = (task: { readonly meta: object }, figure: string): void =>
  void Object.assign(task.meta, { figure })
