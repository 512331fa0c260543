import { defineResourceTemplate, ErrorCode, McpError } from '@jetway/core'

export const RESOURCE_TYPES = ['Text', 'Blob'] as const
export type ResourceType = (typeof RESOURCE_TYPES)[number]

const base = 'demo://resource/dynamic'
const now = () => new Date().toLocaleTimeString()
const isId = (id: number) => Number.isInteger(id) && id > 0

/** Returns the URI of a dynamic resource. */
export const uriOf = (type: ResourceType, id: number) => `${base}/${type.toLowerCase()}/${id}`

export const textContents = (uri: string, id: number) => ({
  uri,
  mimeType: 'text/plain',
  text: `Resource ${id}: This is a plaintext resource created at ${now()}`,
})

export const blobContents = (uri: string, id: number) => ({
  uri,
  mimeType: 'text/plain',
  blob: Buffer.from(`Resource ${id}: This is a base64 blob created at ${now()}`).toString('base64'),
})

export const contentsOf = (type: ResourceType, id: number) =>
  type === 'Text' ? textContents(uriOf(type, id), id) : blobContents(uriOf(type, id), id)

/** Returns why a type and an id do not identify a dynamic resource, or undefined if they do. */
export function problemOf(type: string, id: string | number): string | undefined {
  if (!RESOURCE_TYPES.includes(type as ResourceType))
    return `Invalid resourceType: ${type}. Must be ${RESOURCE_TYPES.join(' or ')}.`
  if (!isId(Number(id))) return `Invalid resourceId: ${id}. Must be a finite positive integer.`
  return undefined
}

export const completeType = (value: string) => RESOURCE_TYPES.filter((type) => type.startsWith(value))
export const completeId = (value: string) => (isId(Number(value)) ? [value] : [])

function idOf(uri: string, resourceId: string): number {
  const id = Number(resourceId)
  if (isId(id)) return id
  throw new McpError(ErrorCode.InternalError, `Unknown resource: ${uri}`)
}

export const dynamicText = defineResourceTemplate({
  name: 'Dynamic Text Resource',
  uriTemplate: `${base}/text/{resourceId}`,
  mimeType: 'text/plain',
  description:
    'Plaintext dynamic resource fabricated from the {resourceId} variable, which must be an integer.',
  complete: { resourceId: completeId },
  handler: ({ resourceId }, { uri }) => ({ contents: [textContents(uri, idOf(uri, resourceId))] }),
})

export const dynamicBlob = defineResourceTemplate({
  name: 'Dynamic Blob Resource',
  uriTemplate: `${base}/blob/{resourceId}`,
  mimeType: 'application/octet-stream',
  description:
    'Binary (base64) dynamic resource fabricated from the {resourceId} variable, which must be an integer.',
  complete: { resourceId: completeId },
  handler: ({ resourceId }, { uri }) => ({ contents: [blobContents(uri, idOf(uri, resourceId))] }),
})
