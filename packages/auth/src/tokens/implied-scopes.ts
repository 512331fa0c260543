/** Adds the scopes that scopes include, and those that these include in turn. */
export function createImplied(
  implies: Readonly<Record<string, readonly string[]>>,
): (granted: readonly string[]) => readonly string[] {
  const rules = new Map(Object.entries(implies))
  if (rules.size === 0) return (granted) => granted
  return (granted) => {
    const all = new Set(granted)
    // A set visits the members that are added meanwhile.
    for (const scope of all) for (const included of rules.get(scope) ?? []) all.add(included)
    return [...all]
  }
}
