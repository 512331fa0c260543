import { REVISIONS } from '@jetway/core/protocol'
import { type ConnectOptions, connect } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import { connected, server } from '../src/tools/asking.ts'

type Handlers = NonNullable<ConnectOptions['handlers']>

/** Calls a tool through a client that answers questions. Returns the result's text and the questions. */
async function call(
  name: string,
  args: Record<string, unknown>,
  handlers: Handlers,
): Promise<{ text: string; asked: unknown[] }> {
  await using client = await connect(server, { revision: '2025-11-25', handlers })
  const { content } = await client.callTool(name, args)
  const asked = client.asked.map((question) =>
    'request' in question && 'message' in question.request ? question.request.message : question.kind,
  )
  return { text: content[0]?.type === 'text' ? content[0].text : '', asked }
}

const accept = (
  content: Record<string, unknown>,
): { action: 'accept'; content: Record<string, unknown> } => ({
  action: 'accept',
  content,
})

// #region scripted
expect.extend(matchers)

it('delete_folder asks the user before it deletes a folder', async () => {
  await using client = await connect(server, {
    handlers: { elicit: [{ action: 'accept', content: { ok: false } }, { action: 'decline' }] },
  })
  expect(await client.callTool('delete_folder', { path: 'photos' })).toHaveText('Kept')
  expect(await client.callTool('delete_folder', { path: 'photos' })).toBeToolError(/declined/)
  expect(client.asked[0]).toMatchObject({
    kind: 'elicit',
    request: { message: 'Delete 2 files in photos?' },
  })
})
// #endregion

// #region revisions
/** Forms were introduced in 2025-06-18. Revisions can be compared as strings. */
const withForms = REVISIONS.filter(({ version }) => version >= '2025-06-18')

it.each(withForms)(
  'delete_folder keeps the folder if a client that uses $version declines',
  async ({ version }) => {
    const elicit = [{ action: 'accept', content: { ok: false } }] as const
    await using client = await connect(server, { revision: version, handlers: { elicit } })
    expect(await client.callTool('delete_folder', { path: 'photos' })).toHaveText('Kept')
  },
)
// #endregion

describe('tools in the guide to asking users', () => {
  it('delete a folder after the user agrees, and delete an empty folder without asking', async () => {
    expect(await call('delete_folder', { path: 'empty' }, { elicit: [] })).toEqual({
      text: 'Deleted empty',
      asked: [],
    })
    expect(await call('delete_folder', { path: 'photos' }, { elicit: [accept({ ok: false })] })).toEqual({
      text: 'Kept',
      asked: ['Delete 2 files in photos?'],
    })
  })

  it('ask a second question that depends on the first answer', async () => {
    const day = accept({ day: '2026-05-01' })
    expect(await call('book_trip', { city: 'Rome' }, { elicit: [day, day] })).toEqual({
      text: 'Rome on 2026-05-01',
      asked: ['When to Rome?', 'Book Rome on 2026-05-01?'],
    })
    const undecided = await call('book_trip', { city: 'Rome' }, { elicit: [day, { action: 'cancel' }] })
    expect(undecided.text).toBe('Nothing was booked')
  })

  it('send the user to a URL, or request a sample and the roots in a single round', async () => {
    expect((await call('connect_bank', {}, { elicitUrl: ['accept'] })).text).toBe(
      'The user was sent to the bank',
    )
    const { text, asked } = await call('summarise', { text: 'Long.' }, { sample: ['Short.'], roots: [] })
    expect(JSON.parse(text)).toEqual({ said: { type: 'text', text: 'Short.' }, roots: 0 })
    expect(asked).toEqual(['sample', 'roots'])
  })

  it('ask for the photo format, and use the default if the client does not support questions', async () => {
    const format = 'png'
    expect((await call('export_photos', {}, { elicit: [accept({ format })] })).text).toBe('Exported as png')
    expect(await call('export_photos', {}, {})).toEqual({ text: 'Exported as jpg', asked: [] })
  })

  it('can ask questions in a loop', async () => {
    const elicit = [accept({ number: 3 }), accept({ number: 7 })]
    expect(await call('guess_my_number', {}, { elicit })).toEqual({
      text: 'Right, after 2 tries',
      asked: ['A number from 1 to 9?', 'Not 3. Again?'],
    })
  })

  it('can keep asking inside a handler until the user declines', async () => {
    const { text } = await call(
      'rename_photos',
      {},
      {
        elicit: [accept({ name: 'sea' }), { action: 'decline' }],
      },
    )
    expect(text).toBe('["sea"]')
  })

  it('send the user to a URL, and continue once the user has finished there', async () => {
    await using client = await connect(server, {
      revision: '2025-11-25',
      auth: { principal: 'ann' },
      handlers: { elicitUrl: ['decline'] },
    })
    const refused = (await client.callTool('count_mails').catch((error: unknown) => error)) as {
      code: number
      data: { elicitations: [{ url: string }] }
    }
    expect(refused.code).toBe(-32042)
    const id = new URL(refused.data.elicitations[0].url).searchParams.get('e') ?? ''
    connected('ann', 'ann@example.com', id)
    await client.notification(
      'notifications/elicitation/complete',
      (params) => params['elicitationId'] === id,
    )
    expect(await client.callTool('count_mails')).toHaveText('ann@example.com has 3 mails')
  })
})
