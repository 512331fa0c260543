/** Streams that a client resumes with `Last-Event-ID` after a save. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createProject, definition, devOverHttp } from './support/project.ts'
import {
  callOf,
  eventsOf,
  type Headers,
  openSession,
  post,
  type ReadEvent,
  request,
} from './support/raw-http.ts'

/**
 * Code of a function that waits, in the server's process, until a file with the given name exists next to the
 * server's file.
 */
const UNTIL = `
import { existsSync } from 'node:fs'
async function until(name: string): Promise<void> {
  while (!existsSync(new URL(name, import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 10))
}`

/**
 * The code of a tool that logs something, so that its reply becomes a stream, and that waits for the file
 * `finish`.
 */
const OLD = definition(
  [],
  `${UNTIL}
process.on('SIGTERM', () => {})
server.addTool({
  name: 'slow',
  handler: async (_, ctx) => {
    ctx.log.info('begins')
    await until('finish')
    return 'done by the old code'
  },
})`,
)

/** The code of a server that does not start until the file `serve` exists. */
const NEW = definition(['fresh'], `${UNTIL}\nconsole.log('saved')\nawait until('serve')`)

interface Cut {
  readonly url: string
  readonly session: Headers
  readonly lastEventId: string
}

/** Calls `slow`, and disconnects after the first event. */
async function cutCall(url: string): Promise<Cut> {
  const session = await openSession(url)
  const cut = new AbortController()
  const reply = await post(url, callOf(1, 'slow'), session, cut.signal)
  let last: ReadEvent | undefined
  for await (const event of eventsOf(reply)) {
    last = event
    if (event.message !== undefined) break
  }
  cut.abort()
  return { url, session, lastEventId: last?.id ?? '' }
}

async function resume({ url, session, lastEventId }: Cut): Promise<AsyncGenerator<ReadEvent>> {
  const headers = { ...session, accept: 'text/event-stream', 'last-event-id': lastEventId }
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const reply = await fetch(url, { headers, signal: end.signal })
  expect(reply.status).toBe(200)
  return eventsOf(reply)
}

async function messagesOf(events: AsyncGenerator<ReadEvent>): Promise<readonly object[]> {
  const messages: object[] = []
  for await (const { message } of events) if (message !== undefined) messages.push(message)
  return messages
}

async function toolNames(url: string, session: Headers): Promise<readonly string[]> {
  const reply = await post(url, request(2, 'tools/list'), session)
  const { result } = (await reply.json()) as { result?: { tools: { name: string }[] } }
  return result?.tools.map(({ name }) => name) ?? []
}

describe('a call whose stream is interrupted before a file is saved', () => {
  it('receives its response from the old process if that process is still running', async () => {
    const project = await createProject(OLD)
    const dev = await devOverHttp(project)
    const cut = await cutCall(dev.url)
    await project.save(NEW)
    await dev.until(/saved/)
    const resumed = await resume(cut)
    await writeFile(join(project.folder, 'serve'), '')
    await expect.poll(() => toolNames(dev.url, cut.session)).toContain('fresh')
    await writeFile(join(project.folder, 'finish'), '')
    expect(await messagesOf(resumed)).toMatchObject([
      { id: 1, result: { content: [{ text: 'done by the old code' }] } },
    ])
  })

  it('receives an error result if the old process has ended and no other process is serving yet', async () => {
    const project = await createProject(OLD)
    const dev = await devOverHttp(project)
    const cut = await cutCall(dev.url)
    await project.save(definition([], "console.log('stuck')\nawait new Promise(() => {})"))
    await dev.until(/stuck/)
    await project.save(definition([], "console.log('saved')"))
    await dev.until(/saved/)
    expect(await messagesOf(await resume(cut))).toMatchObject([{ id: 1, result: { isError: true } }])
    // A request receives a response only once.
    expect(await messagesOf(await resume(cut))).toEqual([])
  })
})

it('a GET stream can be resumed in a new process that does not know the last event id', async () => {
  const project = await createProject(definition())
  const dev = await devOverHttp(project)
  const session = await openSession(dev.url)
  const first = await resume({ url: dev.url, session, lastEventId: '' })
  await project.save(definition(['first']))
  let last: ReadEvent | undefined
  for await (const event of first) {
    last = event
    if (event.message !== undefined) break
  }
  expect(last?.message).toMatchObject({ method: 'notifications/tools/list_changed' })
  const again = await resume({ url: dev.url, session, lastEventId: '1.get.nothing-of-the-new-process' })
  await project.save(definition(['second']))
  for await (const { message } of again) {
    if (message === undefined) continue
    expect(message).toMatchObject({ method: 'notifications/tools/list_changed' })
    break
  }
})
