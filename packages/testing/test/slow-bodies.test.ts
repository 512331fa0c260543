import { bytesOf, callFrame, createServer, post, raw, text, until } from '@jetway-apps/test-support/http'
import { type Mounted, NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { describe, expect, it, onTestFinished } from 'vitest'

const SIZE = 1_000
/** A request whose body is one byte too short. */
const UNFINISHED = bytesOf('/mcp', 'x'.repeat(SIZE - 1), { 'content-length': `${SIZE}` })
/** The number of incomplete bodies that a mount may hold. */
const MAX_BODIES = 32
/** The number of bodies that are left after the mount has made room. */
const LEFT_BODIES = 30

describe.each(Object.entries(NODE_MOUNTS))('incomplete bodies on %s', (_, mount) => {
  async function mounted(bodyTimeoutMs?: number): Promise<Mounted> {
    const limits = { bodyBytes: SIZE, ...(bodyTimeoutMs !== undefined && { bodyTimeoutMs }) }
    const made = await mount(createServer(), { stateless: true, limits })
    onTestFinished(made.stop)
    return made
  }

  it('are refused with 408 after the timeout, and their connections are closed', async () => {
    const { origin, handle } = await mounted(50)
    const socket = await raw(origin, UNFINISHED)
    expect(await until(socket, 'The body took too long')).toMatch(/^HTTP\/1.1 408 /)
    await new Promise((resolve) => socket.once('close', resolve).resume())
    expect(handle.stats().refusals).toEqual({ bodyTimeout: 1 })
    expect(await text(await post(`${origin}/mcp`, callFrame('name')))).toBe('test')
  })

  it.each([
    ['declared', { 'content-length': `${2 * SIZE}` }, 'x'],
    ['found while it was read', { 'transfer-encoding': 'chunked' }, `7d0\r\n${'x'.repeat(2 * SIZE)}\r\n`],
  ])(
    'have the same timeout after a 413 reply if their excessive size was %s',
    async (_how, headers, body) => {
      const { origin, handle } = await mounted(50)
      const socket = await raw(origin, bytesOf('/mcp', body, headers))
      expect(await until(socket, 'too large')).toMatch(/^HTTP\/1.1 413 /)
      await new Promise((resolve) => socket.once('close', resolve).resume())
      expect(handle.stats().refusals).toEqual({ bodyTooLarge: 1 })
    },
  )

  it('are refused with 503 if together they are larger than 32 bodies of the maximum size', async () => {
    const { origin, handle } = await mounted()
    const sockets = await Promise.all(Array.from({ length: MAX_BODIES }, () => raw(origin, UNFINISHED)))
    const socket = await raw(origin, UNFINISHED)
    const refused = Promise.race(
      [...sockets, socket].map((one) => until(one, 'Too many bodies are being read')),
    )
    expect(await refused).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 1/i)
    for (const one of [...sockets, socket]) one.destroy()
    await expect.poll(() => handle.stats().refusals['unreadableBody']).toBe(LEFT_BODIES)
    expect(await text(await post(`${origin}/mcp`, callFrame('name')))).toBe('test')
  })
})
