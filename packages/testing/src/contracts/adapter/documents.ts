import { serverCard } from '@jetway/core/card'
import type { Authenticate, EndpointOptions } from '@jetway/core/http'
import { expect } from 'vitest'
import type { WholeReply } from './client.ts'
import { expectError } from './requests.ts'
import type { AdapterCase, Serving } from './types.ts'

const CARD = '/mcp/server-card'
const CATALOG = '/.well-known/ai-catalog.json'
const METADATA = '/.well-known/oauth-protected-resource'

const published = (path = ''): EndpointOptions => ({
  stateless: true,
  publicUrl: `https://shop.example${path}/mcp`,
  card: serverCard({ name: 'example.shop/contract', description: 'Tests adapters ä€😀' }),
})

/** Creates an `authenticate` that refuses everybody, and has one public document. */
function documented(): Authenticate {
  const answer = ({ path }: { readonly path?: string | undefined }) =>
    path === METADATA
      ? { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }
      : undefined
  const wellKnown = { paths: [METADATA], elsewhere: false, answer }
  return Object.assign(() => undefined, { wellKnown })
}

const get = (
  { client }: Serving,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WholeReply> => client.send({ method: 'GET', path, headers: { accept: '*/*', ...headers } })

const statusesOf = async (serving: Serving, paths: readonly string[]): Promise<readonly number[]> => {
  const replies = await Promise.all(paths.map((path) => get(serving, path)))
  return replies.map(({ status }) => status)
}

/** The rules for public documents. */
export const DOCUMENT_CASES: readonly AdapterCase[] = [
  {
    name: 'serves the documents of the option card with their headers, byte for byte',
    needs: 'documents',
    async run({ serve }) {
      const serving = await serve(published())
      const card = await get(serving, CARD)
      expect(card.headers).toMatchObject({
        'content-type': expect.stringMatching(/^application\/mcp-server-card\+json(;|$)/),
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=3600',
        etag: expect.stringMatching(/^".+"$/),
      })
      expect(JSON.parse(card.body)).toMatchObject({ description: 'Tests adapters ä€😀' })
      const { body } = await get(serving, CATALOG)
      expect(JSON.parse(body)).toMatchObject({ entries: [{ url: `https://shop.example${CARD}` }] })
    },
  },
  {
    name: 'answers HEAD and If-None-Match for a document without a body',
    needs: 'documents',
    async run(context) {
      const serving = await context.serve(published())
      const { headers } = await get(serving, CARD)
      const head = await serving.client.send({ method: 'HEAD', path: CARD })
      expect([head.status, head.headers.etag === headers.etag, head.body]).toEqual([200, true, ''])
      const unchanged = await get(serving, CARD, { 'if-none-match': String(headers.etag) })
      const same = unchanged.headers.etag === headers.etag
      expect([unchanged.status, same, unchanged.body]).toEqual([304, true, ''])
      expect(unchanged.headers['content-length']).toBeUndefined()
    },
  },
  {
    name: 'serves the documents of authenticate and card together, without authentication',
    needs: 'documents',
    async run({ serve }) {
      const serving = await serve({ ...published(), authenticate: documented() })
      expect(await statusesOf(serving, [METADATA, CARD, CATALOG])).toEqual([200, 200, 200])
      expectError(await serving.client.send({ body: '{}' }), 401, -32600)
    },
  },
  {
    name: 'serves the card below a prefix, and leaves the catalog to the app',
    needs: 'prefix',
    async run({ serve }) {
      const serving = await serve(published('/api'), { prefix: '/api' })
      expect(await statusesOf(serving, [`/api${CARD}`, CARD, CATALOG])).toEqual([200, 404, 404])
      expect(await serving.client.call('echo', { text: 'x' })).toBe('x')
    },
  },
  {
    name: 'serves the card below a prefix if the app serves the documents of authenticate at its root',
    needs: 'prefix',
    async run({ serve }) {
      const serving = await serve({ ...published('/api'), authenticate: documented() }, { prefix: '/api' })
      expect(await statusesOf(serving, [METADATA, `/api${CARD}`, CATALOG])).toEqual([200, 200, 404])
      expectError(await serving.client.send({ body: '{}' }), 401, -32600)
    },
  },
]
