import { cached, derive, type Tool } from './definitions.ts'

/** The new names of tools; undefined for a tool that was left out. Other names stay as they are. */
type NewNames = ReadonlyMap<string, string | undefined>

/** Returns a function that changes the names in the tools' `relatedTools`. */
export function createRelations(): (tools: readonly Tool[], names: NewNames) => readonly Tool[] {
  const relate = cached((tool: Tool, related: NonNullable<Tool['relatedTools']>) =>
    derive<Tool>(tool, { relatedTools: related }),
  )
  return (tools, names) =>
    tools.map((tool) => {
      const { relatedTools } = tool
      // Sources may have definitions that their server refuses.
      if (!Array.isArray(relatedTools) || !relatedTools.some((it) => names.has(it?.name))) return tool
      const related = relatedTools.flatMap((it) => {
        const name = names.has(it.name) ? names.get(it.name) : it.name
        return name === undefined ? [] : [{ ...it, name }]
      })
      return relate(tool, related)
    })
}
