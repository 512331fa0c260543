import { isObject, type JsonObject } from '../jsonrpc.ts'
import type { ContentBlock } from '../types.ts'
import type { RevisionData } from './data.ts'
import type { Shape } from './revision.ts'

/** Reduces neutral objects to the members that a revision defines. */
export interface Projector {
  readonly project: (shape: Shape, value: object) => JsonObject
  /** Replaces a block that the revision lacks by equivalent text. */
  block(block: ContentBlock): JsonObject
}

export function createProjector(fields: RevisionData['fields']): Projector {
  const project = (shape: Shape, value: object): JsonObject => {
    const source = value as JsonObject
    const out: Record<string, unknown> = {}
    for (const key of fields[shape]) {
      const member = source[key]
      if (member !== undefined) out[key] = nested(shape, key, member)
    }
    return out
  }
  const nested = (shape: Shape, key: string, member: unknown): unknown => {
    if (key === 'annotations' && isObject(member))
      return project(shape === 'tool' ? 'toolAnnotations' : 'annotations', member)
    if (key === 'icons' && Array.isArray(member)) return member.map((icon: object) => project('icon', icon))
    if (key === 'arguments' && Array.isArray(member))
      return member.map((argument: object) => project('promptArgument', argument))
    if (shape === 'embedded' && key === 'resource' && isObject(member)) return project('contents', member)
    return member
  }
  const block = (content: ContentBlock): JsonObject => {
    const shape = content.type === 'resource' ? 'embedded' : content.type
    return fields[shape].length === 0 ? project('text', asText(content)) : project(shape, content)
  }
  return { project, block }
}

function asText(block: ContentBlock): object {
  const { annotations } = block
  if (block.type === 'resource_link') {
    const label = block.title ?? block.name
    const description = block.description === undefined ? '' : `\n${block.description}`
    return { type: 'text', text: `${label}: ${block.uri}${description}`, annotations }
  }
  const about = 'mimeType' in block ? ` of type ${block.mimeType}` : ''
  return { type: 'text', text: `[${block.type}${about}]`, annotations }
}
