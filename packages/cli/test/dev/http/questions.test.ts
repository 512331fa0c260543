/**
 * Answers are sent to the process that asked, and cancellations to the process that runs the call, even after
 * a restart.
 */
import { describe, expect, it } from 'vitest'
import { answerOf, callOf, openSession, post } from '../support/raw-http.ts'
import {
  listenOn,
  openStream,
  readStream,
  relayHttp,
  type Reply,
  streams,
  writeEvent,
} from '../support/relay-http.ts'

describe('HttpRelay handling questions', () => {
  const question = { jsonrpc: '2.0', id: 7, method: 'elicitation/create', params: {} }

  it("replaces the question's id, and restores it in the answer", async () => {
    const { url, start } = await relayHttp()
    const asks: Reply = streams([question], [{ ...question, id: 8 }])
    const first = await start({ 'tools/call': asks })
    const session = await openSession(url)
    const stream = readStream(await post(url, callOf(1, 'a'), session), new AbortController())
    const [one, two] = [await stream.next(), await stream.next()]
    expect(one?.message).toEqual({ ...question, id: '1:7' })
    expect(two?.message).toEqual({ ...question, id: '1:8' })
    // The answers are sent to the process that asked.
    const second = await start()
    await post(url, answerOf('1:7', { a: 1 }), session)
    const batch = [answerOf('1:8'), answerOf('other'), { jsonrpc: '2.0', method: 'notifications/x' }]
    await post(url, batch, session)
    await post(url, answerOf('1:7'), session)
    expect(first.got.filter(({ asks: what }) => what === 'answer').map(({ message }) => message)).toEqual([
      answerOf(7, { a: 1 }),
    ])
    expect(second.got.filter(({ asks: what }) => what === 'answer').map(({ message }) => message)).toEqual([
      [answerOf(8), answerOf('other'), { jsonrpc: '2.0', method: 'notifications/x' }],
      answerOf('1:7'),
    ])
  })

  it('cancels the question if the process that asked cancels it or ends', async () => {
    const front = await relayHttp()
    const { url, start } = front
    const cancelled = (id: unknown) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'r' },
    })
    const first = await start({ 'tools/call': streams([question], [cancelled(7)], [{ ...question, id: 8 }]) })
    const session = await openSession(url)
    const listening = await listenOn(url, session)
    const stream = readStream(await post(url, callOf(1, 'a'), session), new AbortController())
    await stream.next()
    expect((await stream.next())?.message).toEqual(cancelled('1:7'))
    await stream.next()
    await start()
    first.end()
    expect((await listening.next())?.message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: '1:8', reason: 'The server was restarted' },
    })
    expect(await stream.rest()).toMatchObject([{ id: 1, result: { isError: true } }])
  })

  it('forwards a question from a server without sessions unchanged', async () => {
    const { url, start } = await relayHttp()
    await start({
      'tools/call': ({ message }, response) => {
        openStream(response)
        writeEvent(response, question)
        writeEvent(response, answerOf(message.id))
        response.end()
      },
    })
    const stream = readStream(await post(url, callOf(1, 'a')), new AbortController())
    expect(await stream.rest()).toEqual([question, answerOf(1)])
  })
})

it('HttpRelay sends a cancellation to the process that is running the call', async () => {
  const { url, start } = await relayHttp()
  const first = await start({ 'tools/call': streams() })
  const session = await openSession(url)
  await post(url, callOf(1, 'a'), session)
  const second = await start()
  const cancel = (requestId: unknown): Promise<Response> =>
    post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, session)
  for (const id of [1, '1', 2, undefined]) await cancel(id)
  await post(url, { jsonrpc: '2.0', method: 'notifications/other', params: { requestId: 1 } }, session)
  const cancelled = (process: typeof first) =>
    process.got.filter(({ asks }) => asks.startsWith('notifications/c')).map(({ message }) => message.params)
  expect(cancelled(first)).toEqual([{ requestId: 1 }])
  expect(cancelled(second)).toEqual([{ requestId: '1' }, { requestId: 2 }, {}])
  expect(second.asked()).toContain('notifications/other')
  expect(first.asked()).not.toContain('notifications/other')
})
