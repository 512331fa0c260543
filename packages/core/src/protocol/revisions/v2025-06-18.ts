import { extend, type RevisionData } from './data.ts'
import { v2025_03_26 } from './v2025-03-26.ts'

/** https://modelcontextprotocol.io/specification/2025-06-18/changelog */
export const v2025_06_18: RevisionData = extend(v2025_03_26, {
  version: '2025-06-18',
  batching: false,
  versionHeader: true,
  serverRequests: ['elicitation/create'],
  forms: { fields: 'plain', url: false },
  structured: 'object',
  adds: {
    implementation: ['title'],
    tool: ['title', 'outputSchema', '_meta'],
    annotations: ['lastModified'],
    resource: ['title', '_meta'],
    resourceTemplate: ['title', '_meta'],
    prompt: ['title', '_meta'],
    promptArgument: ['title'],
    contents: ['_meta'],
    text: ['_meta'],
    image: ['_meta'],
    audio: ['_meta'],
    embedded: ['_meta'],
    resource_link: [
      'type',
      'uri',
      'name',
      'title',
      'description',
      'mimeType',
      'size',
      'annotations',
      '_meta',
    ],
  },
})
