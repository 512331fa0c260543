import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Directories } from '../directories.ts'
import { READS } from './text-result.ts'

const TYPES = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.bmp', 'image/bmp'],
  ['.svg', 'image/svg+xml'],
  ['.mp3', 'audio/mpeg'],
  ['.wav', 'audio/wav'],
  ['.ogg', 'audio/ogg'],
  ['.flac', 'audio/flac'],
])

const MEDIA = z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() })
const RESOURCE = z.object({
  type: z.literal('resource'),
  resource: z.object({ uri: z.string(), mimeType: z.string().optional(), blob: z.string() }),
})

export const readMediaFile = (directories: Directories) =>
  defineTool({
    name: 'read_media_file',
    title: 'Read Media File',
    description:
      'Read a file and return it as a base64-encoded content block with its MIME type. ' +
      'Image and audio files are returned as image/audio content; any other file type is ' +
      'returned as an embedded resource. Only works within allowed directories.',
    inputSchema: z.object({ path: z.string() }),
    outputSchema: z.object({ content: z.array(z.union([MEDIA, RESOURCE])) }),
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ path }, ctx) {
      const file = await directories.resolve(path, ctx)
      const block = blockOf(file, (await readFile(file)).toString('base64'))
      return { content: [block], structuredContent: { content: [block] } }
    },
  })

function blockOf(file: string, data: string) {
  const mimeType = TYPES.get(extname(file).toLowerCase()) ?? 'application/octet-stream'
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType } as const
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType } as const
  return { type: 'resource', resource: { uri: pathToFileURL(file).href, mimeType, blob: data } } as const
}
