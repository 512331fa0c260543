import { createMemoryTransportPair } from '@jetway/core/transport'
import { connectPeer, type PeerOptions } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { connected, server } from '../src/asking.ts'

type Answer = NonNullable<PeerOptions['onRequest']>

/** Calls a tool as a client that answers what it is asked; gives the text and the messages of the questions. */
async function call(
  name: string,
  args: object,
  onRequest: Answer,
): Promise<{ text: string; asked: unknown[] }> {
  const [near, far] = createMemoryTransportPair()
  server.connect(far)
  const asked: unknown[] = []
  const client = await connectPeer(near, {
    revision: '2025-11-25',
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    onRequest: (method, params) => {
      asked.push(params?.['message'] ?? method)
      return onRequest(method, params)
    },
  })
  const { result } = await client.request('tools/call', { name, arguments: args })
  await client.close()
  return { text: (result as { content: [{ text: string }] }).content[0].text, asked }
}

const accept = (content: object): ReturnType<Answer> => ({ action: 'accept', content })

describe('the tools of the guide to asking', () => {
  it('delete a folder when the user agrees, and ask nobody about an empty one', async () => {
    expect(await call('delete_folder', { path: 'empty' }, () => undefined)).toEqual({
      text: 'Deleted empty',
      asked: [],
    })
    expect(await call('delete_folder', { path: 'photos' }, () => accept({ ok: false }))).toEqual({
      text: 'Kept',
      asked: ['Delete 2 files in photos?'],
    })
    const declined = await call('delete_folder', { path: 'photos' }, () => ({ action: 'decline' }))
    expect(declined.text).toBe('The user declined: Delete 2 files in photos?')
  })

  it('ask the second question with the answer to the first', async () => {
    expect(await call('book_trip', { city: 'Rome' }, () => accept({ day: '2026-05-01' }))).toEqual({
      text: 'Rome on 2026-05-01',
      asked: ['When to Rome?', 'Book Rome on 2026-05-01?'],
    })
    const undecided = await call('book_trip', { city: 'Rome' }, (_method, params) =>
      String(params?.['message']).startsWith('When') ? accept({ day: '2026-05-01' }) : { action: 'cancel' },
    )
    expect(undecided.text).toBe('Nothing was booked')
  })

  it('send the user to an address, and ask the model and the client at once', async () => {
    expect((await call('connect_bank', {}, () => ({ action: 'accept' }))).text).toBe(
      'The user was sent to the bank',
    )
    const { text, asked } = await call('summarise', { text: 'Long.' }, (method) =>
      method === 'roots/list'
        ? { roots: [] }
        : { role: 'assistant', content: { type: 'text', text: 'Short.' }, model: 'm' },
    )
    expect(JSON.parse(text)).toEqual({ said: { type: 'text', text: 'Short.' }, roots: 0 })
    expect(asked).toEqual(['sampling/createMessage', 'roots/list'])
  })

  it('go round in a loop', async () => {
    const numbers = [3, 7]
    expect(await call('guess_my_number', {}, () => accept({ number: numbers.shift() }))).toEqual({
      text: 'Right, after 2 tries',
      asked: ['A number from 1 to 9?', 'Not 3. Again?'],
    })
  })

  it('ask in the middle of a handler, until the user has enough', async () => {
    let times = 0
    const { text } = await call('rename_photos', {}, () =>
      ++times === 1 ? accept({ name: 'sea' }) : { action: 'decline' },
    )
    expect(text).toBe('["sea"]')
  })

  it('send the user away first, and are told when they are back', async () => {
    const [near, far] = createMemoryTransportPair()
    server.connect(far, { auth: { principal: 'ann' } })
    const client = await connectPeer(near, {
      revision: '2025-11-25',
      capabilities: { elicitation: { url: {} } },
    })
    const count = (): Promise<unknown> => client.request('tools/call', { name: 'count_mails' })
    const { error } = (await count()) as {
      error: { code: number; data: { elicitations: [{ url: string }] } }
    }
    expect(error.code).toBe(-32042)
    const id = new URL(error.data.elicitations[0].url).searchParams.get('e') ?? ''
    connected('ann', 'ann@example.com', id)
    await client.notification(
      'notifications/elicitation/complete',
      (params) => params['elicitationId'] === id,
    )
    expect(await count()).toMatchObject({ result: { content: [{ text: 'ann@example.com has 3 mails' }] } })
    await client.close()
  })
})
