import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { SERVER_COMMANDS, listen } from './support/processes.ts'
import { RawClient } from './support/raw-http.ts'

const run = promisify(execFile)

describe('the command line', () => {
  it.each(['0', 'many'])('rejects a page size of "%s", and gives a reason', async (size) => {
    const failed = run(process.execPath, [...SERVER_COMMANDS.stdio, `--page-size=${size}`])
    await expect(failed).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--page-size is a number'),
    })
  })

  it('by default, serves each list as a single page and adds no misbehaving handlers', async () => {
    const server = await listen('hono')
    try {
      const client = new RawClient(server.url)
      await client.initialize()
      const { messages } = await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      const { tools, nextCursor } = messages[0]?.result ?? {}
      expect(nextCursor).toBeUndefined()
      expect(JSON.stringify(tools)).not.toContain('Misbehaves')
      client.close()
    } finally {
      await server.stop()
    }
  })
})
