import { Method, Notification } from '../methods.ts'
import type { RevisionData } from './data.ts'

/** https://modelcontextprotocol.io/specification/2024-11-05 */
export const v2024_11_05: RevisionData = {
  version: '2024-11-05',
  methods: Object.values(Method),
  notifications: [
    Notification.Initialized,
    Notification.Cancelled,
    Notification.Progress,
    Notification.RootsListChanged,
  ],
  serverRequests: ['ping', 'sampling/createMessage', 'roots/list'],
  batching: false,
  versionHeader: false,
  primesStreams: false,
  progressMessage: false,
  forms: undefined,
  elicitationIds: false,
  samplingTools: false,
  tasks: undefined,
  fields: {
    implementation: ['name', 'version'],
    icon: [],
    capabilities: ['experimental', 'logging', 'prompts', 'resources', 'tools'],
    tool: ['name', 'description', 'inputSchema'],
    toolAnnotations: [],
    annotations: ['audience', 'priority'],
    resource: ['uri', 'name', 'description', 'mimeType', 'size', 'annotations'],
    resourceTemplate: ['uriTemplate', 'name', 'description', 'mimeType', 'annotations'],
    prompt: ['name', 'description', 'arguments'],
    promptArgument: ['name', 'description', 'required'],
    contents: ['uri', 'mimeType', 'text', 'blob'],
    text: ['type', 'text', 'annotations'],
    image: ['type', 'data', 'mimeType', 'annotations'],
    audio: [],
    resource_link: [],
    embedded: ['type', 'resource', 'annotations'],
    callToolResult: ['content', 'isError', '_meta'],
  },
}
