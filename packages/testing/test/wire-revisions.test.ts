import { createMemoryTransportPair } from '@jetway/core/transport'
import { describe, expect, it } from 'vitest'
import { connectPeer } from '../src/peer.ts'
import { recordTransport } from '../src/record-transport.ts'
import { createTellingServer, exercise, faults } from './support/telling-server.ts'

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
type RevisionName = (typeof REVISIONS)[number]

async function run(revision: RevisionName) {
  const server = createTellingServer()
  const [client, end] = createMemoryTransportPair()
  const { transport, frames } = recordTransport(client)
  server.connect(end)
  const peer = await connectPeer(transport, { revision })
  const answers = await exercise(peer, server)
  await peer.close()
  await server.close()
  return { answers, frames, peer }
}

describe.each(REVISIONS)('all messages from a server at %s', (revision) => {
  it("match the revision's schema", async () => {
    const { frames, answers, peer } = await run(revision)
    expect(peer.initialized['protocolVersion']).toBe(revision)
    expect(frames.filter(({ direction }) => direction === 'received').length).toBeGreaterThan(
      answers.size + 12,
    )
    expect(faults(revision, frames)).toEqual([])
    expect(JSON.stringify(frames)).not.toContain('canary')
  })

  it('include exactly one response to every request', async () => {
    const { answers, peer } = await run(revision)
    for (const [name, answer] of answers)
      expect(Number('result' in answer) + Number('error' in answer), name).toBe(1)
    expect(peer.strays).toMatchObject([
      { error: { code: -32700 } },
      { error: { code: -32600 } },
      { error: { code: -32600 } },
    ])
  })
})

describe('a server that uses features of newer revisions', () => {
  it.each([
    ['2024-11-05', ['text', 'text', 'image', 'text', 'text', 'text', 'resource', 'resource']],
    ['2025-03-26', ['text', 'text', 'image', 'audio', 'text', 'text', 'resource', 'resource']],
    [
      '2025-06-18',
      ['text', 'text', 'image', 'audio', 'resource_link', 'resource_link', 'resource', 'resource'],
    ],
  ] as const)('sends content that revision %s does not support as text', async (revision, types) => {
    const { answers } = await run(revision)
    const blocks = answers.get('contents')?.result?.['content'] as { type: string; text?: string }[]
    expect(blocks.map(({ type }) => type)).toEqual(types)
    if (types[4] === 'text') expect(blocks[4]?.text).toContain('wire://linked')
  })

  it.each(REVISIONS)('sends only objects as structured content in %s', async (revision) => {
    const { answers } = await run(revision)
    const structured = (name: string): unknown => answers.get(name)?.result?.['structuredContent']
    const exists = revision >= '2025-06-18'
    expect(structured('object')).toEqual(exists ? { a: 1 } : undefined)
    expect(structured('bare')).toEqual(exists ? { a: 1 } : undefined)
    for (const name of ['list', 'text', 'either', 'date', 'number']) expect(structured(name)).toBeUndefined()
    expect(answers.get('list')?.result).toEqual({ content: [{ type: 'text', text: '[1,2]' }] })
  })

  it.each(REVISIONS)(
    'reports a missing resource with the error code for sessions in %s',
    async (revision) => {
      const { answers } = await run(revision)
      for (const uri of ['gone', 'refused', 'unknown'])
        expect(answers.get(uri)?.error).toMatchObject({ code: -32002, data: { uri: `wire://${uri}` } })
    },
  )
})
