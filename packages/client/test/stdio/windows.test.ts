import { spawn } from 'node:child_process'
import { ChildProcessTransport, SpawnError } from '@jetway/client/stdio'
import { expect, it, vi } from 'vitest'

// This must run before the imports, because programs are looked up differently on each platform.
vi.hoisted(() => Object.defineProperty(process, 'platform', { value: 'win32' }))

vi.mock('node:child_process', async (original) => ({
  ...(await original<object>()),
  spawn: vi.fn(() => {
    throw new Error('not here')
  }),
}))

const handlers = { message: () => {}, malformed: () => {}, close: () => {} }

it("a transport runs a .cmd file with the system's cmd.exe on Windows, and escapes the arguments", async () => {
  const transport = new ChildProcessTransport({
    command: 'shop.cmd',
    args: ['-y', 'a b', '"&calc'],
    cwd: '/project',
  })
  await expect(transport.start(handlers)).rejects.toThrow(SpawnError)
  const [command, args, options] = vi.mocked(spawn).mock.calls[0] ?? []
  expect(command).toBe(String.raw`C:\Windows\System32\cmd.exe`)
  expect(args).toEqual(['/d', '/s', '/c', String.raw`"shop.cmd ^"-y^" ^"a^ b^" ^"\^"^&calc^""`])
  expect(options).toMatchObject({ windowsVerbatimArguments: true, cwd: '/project' })
  expect(options?.env).not.toHaveProperty('comspec')
})
