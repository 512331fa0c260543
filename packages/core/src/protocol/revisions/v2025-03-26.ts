import { extend, type RevisionData } from './data.ts'
import { v2024_11_05 } from './v2024-11-05.ts'

/** https://modelcontextprotocol.io/specification/2025-03-26/changelog */
export const v2025_03_26: RevisionData = extend(v2024_11_05, {
  version: '2025-03-26',
  batching: true,
  progressMessage: true,
  adds: {
    capabilities: ['completions'],
    tool: ['annotations'],
    toolAnnotations: ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'],
    audio: ['type', 'data', 'mimeType', 'annotations'],
  },
})
