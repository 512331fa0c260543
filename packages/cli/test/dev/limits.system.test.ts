import { describe, expect, it, vi } from 'vitest'
import { createProject, definition, devOverHttp } from './support/project.ts'
import { type Headers, INITIALIZE, openSession, post, request } from './support/raw-http.ts'

const SESSIONS = 256
const WAITING = 1_024
const BODY = 4 * 1024 * 1024

it('jetway dev evicts the least recently used of 257 sessions when a file is saved', async () => {
  const project = await createProject(definition())
  const dev = await devOverHttp(project)
  const sessions: Headers[] = []
  for (let count = 0; count < SESSIONS; count++) sessions.push(await openSession(dev.url))
  const [used = {}, unused = {}] = sessions
  const ping = async (session: Headers): Promise<number> =>
    (await post(dev.url, request(1, 'ping'), session)).status
  expect(await ping(used)).toBe(200)
  const last = await openSession(dev.url)
  await project.save(definition(['saved']))
  // The old process still knows the session until it exits.
  await vi.waitFor(async () => expect(await ping(unused)).toBe(404))
  expect(await Promise.all([used, last].map(ping))).toEqual([200, 200])
})

it('jetway dev refuses a body larger than 4 MiB', async () => {
  const { url } = await devOverHttp(await createProject(definition()))
  const session = await openSession(url)
  const ping = JSON.stringify(request(1, 'ping'))
  const refused = await post(url, ping.padEnd(BODY + 1), session)
  expect(refused.status).toBe(413)
  expect(await refused.json()).toMatchObject({ error: { message: `The body is larger than ${BODY} bytes` } })
  expect((await post(url, ping.padEnd(BODY), session)).status).toBe(200)
})

/** The code of a server that cannot start until the file is saved again. */
const BROKEN = 'const server = {'

describe('jetway dev while no process is running', () => {
  it('holds 1,024 HTTP requests, and immediately refuses the next one', async () => {
    const project = await createProject(BROKEN)
    const dev = await devOverHttp(project)
    await dev.until(/Waiting for a change/)
    let answered = 0
    const all = Array.from({ length: WAITING + 1 }, async () => {
      const answer = (await (await post(dev.url, INITIALIZE)).json()) as object
      answered++
      return answer
    })
    expect(await Promise.race(all)).toMatchObject({
      error: { code: -32_603, message: expect.stringContaining('Too many requests wait') },
    })
    expect(answered).toBe(1)
    await project.save(definition())
    for (const answer of await Promise.all(all)) expect(answer).toMatchObject({ id: 0 })
  })

  it('holds 1,024 stdio requests, and immediately refuses the next one', async () => {
    const project = await createProject(BROKEN)
    const dev = project.dev('--stdio')
    await dev.until(/Waiting for a change/)
    const lines = Array.from({ length: WAITING + 1 }, (_, id) => JSON.stringify(request(id, 'ping')))
    dev.process.stdin.write(`${lines.join('\n')}\n`)
    const [line] = await dev.until(/.*Too many requests wait.*/)
    expect(JSON.parse(line)).toMatchObject({ id: WAITING })
    await project.save(definition())
    const ids = await vi.waitFor(() => {
      const answers = dev.output.stdout.trim().split('\n')
      expect(answers).toHaveLength(WAITING + 1)
      return answers.map((answer) => (JSON.parse(answer) as { id: number }).id)
    })
    expect(new Set(ids).size).toBe(WAITING + 1)
  })
})
