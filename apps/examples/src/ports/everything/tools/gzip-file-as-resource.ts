import { gzipSync } from 'node:zlib'
import { defineTool, type McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'
import { sessionOf } from '../session.ts'
import { ACTS } from './hints.ts'

const { env } = process
const MAX_BYTES = Number(env['GZIP_MAX_FETCH_SIZE'] ?? 10 * 1024 * 1024)
const MAX_MS = Number(env['GZIP_MAX_FETCH_TIME_MILLIS'] ?? 30_000)
/** The allowed domains. If the list is empty, every domain is allowed. */
const DOMAINS = (env['GZIP_ALLOWED_DOMAINS'] ?? '')
  .split(',')
  .map((domain) => domain.trim().toLowerCase())
  .filter((domain) => domain !== '')

/** The link belongs to one session, so the tool adds the resource to the call's session. */
export const gzipFileAsResource = (server: McpServer) =>
  defineTool({
    name: 'gzip-file-as-resource',
    title: 'GZip File as Resource Tool',
    description:
      'Compresses a single file using gzip compression. Depending upon the selected output type, returns either the compressed data as a gzipped resource or a resource link, allowing it to be downloaded in a subsequent request during the current session.',
    inputSchema: z.object({
      name: z.string().describe('Name of the output file').default('README.md.gz'),
      data: z
        .url()
        .describe('URL or data URI of the file content to compress')
        .default('https://raw.githubusercontent.com/modelcontextprotocol/servers/refs/heads/main/README.md'),
      outputType: z
        .enum(['resourceLink', 'resource'])
        .default('resourceLink')
        .describe(
          "How the resulting gzipped file should be returned. 'resourceLink' returns a link to a resource that can be read later, 'resource' returns a full resource object.",
        ),
    }),
    annotations: { ...ACTS, idempotentHint: true, openWorldHint: true },
    async handler({ name, data, outputType }, ctx) {
      const bytes = await download(allowedUrl(data), ctx.signal)
      const uri = `demo://resource/session/${name}`
      const mimeType = 'application/gzip'
      const contents = { uri, mimeType, blob: gzipSync(bytes).toString('base64') }
      if (ctx.session !== undefined || outputType === 'resourceLink')
        server
          .forSession(sessionOf(ctx))
          .addResource({ name, uri, mimeType, handler: () => ({ contents: [contents] }) }, { replace: true })
      if (outputType === 'resource') return { content: [{ type: 'resource', resource: contents }] }
      return { content: [{ type: 'resource_link', uri, name, mimeType }] }
    },
  })

function allowedUrl(data: string): URL {
  const url = new URL(data)
  const problem = problemOf(url, data)
  if (problem === undefined) return url
  throw new ToolError(`Error processing file ${data}: ${problem}`)
}

function problemOf({ protocol, hostname }: URL, data: string): string | undefined {
  if (protocol === 'data:') return undefined
  if (protocol !== 'http:' && protocol !== 'https:')
    return `Unsupported URL protocol for ${data}. Only http, https, and data URLs are supported.`
  const isAllowed = (domain: string) => hostname === domain || hostname.endsWith(`.${domain}`)
  if (DOMAINS.length === 0 || DOMAINS.some(isAllowed)) return undefined
  return `Domain ${hostname} is not in the allowed domains list.`
}

async function download(url: URL, signal: AbortSignal): Promise<Buffer> {
  const late = AbortSignal.timeout(MAX_MS)
  try {
    return await read(await fetch(url, { signal: AbortSignal.any([signal, late]) }), url)
  } catch (error) {
    const text = late.aborted ? `Fetching ${url} took more than ${MAX_MS} ms and was aborted.` : String(error)
    throw error instanceof Error && !late.aborted ? new ToolError(error.message) : new ToolError(text)
  }
}

/** The header alone cannot be trusted, because a server may send more bytes than it declares. */
async function read(response: Response, url: URL): Promise<Buffer> {
  const declared = Number(response.headers.get('content-length') ?? 0)
  if (declared > MAX_BYTES)
    throw new ToolError(`Content-Length for ${url} exceeds max of ${MAX_BYTES}: ${declared}`)
  if (response.body === null) throw new ToolError('No response body')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_BYTES) throw new ToolError(`Response from ${url} exceeds ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
