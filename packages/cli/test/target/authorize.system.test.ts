/**
 * Runs the command against an authorization server. The browser is a program that does nothing; the test acts
 * as the browser.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { listen } from '@jetway-apps/test-support/http'
import { oauth } from '@jetway/auth'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'
import { type AuthorizationServer, startAuthorizationServer } from '@jetway/testing/authorization-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { jetway } from '../dev/support/project.ts'

let issuer: AuthorizationServer
let url: string
let release: () => void
/** A folder in PATH with a browser that opens nothing. */
let browsers: string

const server = new McpServer({ name: 'protected', version: '1.0.0' })
server.addTool({ name: 'who', handler: (_args, { auth }) => `You are ${auth?.principal}` })

beforeAll(async () => {
  issuer = await startAuthorizationServer({ scopes: ['mcp'] })
  const authenticate = oauth({ issuer: issuer.issuer, scopes: ['mcp'] })
  const listening = await listen(mcp({ server, path: '/mcp', authenticate }))
  ;({ release } = listening)
  url = `${listening.origin}/mcp`
  browsers = await mkdtemp(join(tmpdir(), 'jetway-browsers-'))
  for (const name of ['open', 'xdg-open']) {
    await writeFile(join(browsers, name), '#!/bin/sh\n')
    await chmod(join(browsers, name), 0o755)
  }
})

afterAll(async () => {
  await server.close({ deadline: 0 })
  release()
  await issuer.close()
  await rm(browsers, { recursive: true })
})

interface Started {
  readonly exitCode: Promise<number>
  readonly output: () => string
}

function follow(child: ChildProcess): Started {
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  return { exitCode: once(child, 'exit').then(([code]) => Number(code)), output: () => text }
}

const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${browsers}:${process.env['PATH']}`,
  CI: '',
  NO_COLOR: '1',
})

const call = (...options: readonly string[]): readonly string[] => [
  process.execPath,
  ...jetway(),
  'call',
  url,
  'who',
  ...options,
]

/** The `script` program of util-linux provides a pseudo-terminal. */
function inTerminal(): Started {
  const command = call()
    .map((word) => `'${word}'`)
    .join(' ')
  return follow(spawn('script', ['-qec', command, '/dev/null'], { env: environment(), stdio: 'pipe' }))
}

function withoutTerminal(options: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const [command = '', ...args] = call(...options)
  return follow(
    spawn(command, args, { env: { ...environment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

const urlIn = ({ output }: Started): Promise<string> =>
  vi.waitFor(
    () => {
      const [found] = /http:\/\/\S+\/authorize?\S+(?=\s)/.exec(output()) ?? []
      if (found === undefined) throw new Error(`No URL: ${output()}`)
      return found
    },
    { timeout: 20_000 },
  )

describe('jetway call to a server that requires authorization', () => {
  it('succeeds after the user has signed in', async () => {
    const started = inTerminal()
    await fetch(await issuer.signIn(await urlIn(started), { user: 'ann' }))
    expect(await started.exitCode).toBe(0)
    expect(started.output()).toMatch(/You are \S*ann/)
  })

  it('fails if the user has denied access', async () => {
    const started = inTerminal()
    const { searchParams } = new URL(await urlIn(started))
    const refused = new URL(searchParams.get('redirect_uri') ?? '')
    refused.searchParams.set('error', 'access_denied')
    refused.searchParams.set('state', searchParams.get('state') ?? '')
    refused.searchParams.set('iss', issuer.issuer)
    await fetch(refused)
    expect(await started.exitCode).toBe(3)
    expect(started.output()).toContain('access_denied')
  })

  it('prints a hint instead of opening a browser if there is no terminal', async () => {
    const started = withoutTerminal([])
    expect(await started.exitCode).toBe(3)
    expect(started.output()).toContain('Give a token with --bearer-env NAME')
    expect(started.output()).not.toContain('/authorize')
  })

  it('succeeds with a valid token in --bearer-env, and fails with any other token', async () => {
    const { accessToken } = await issuer.issue({ resource: url, user: 'ben' })
    const started = withoutTerminal(['--bearer-env', 'TOKEN'], { TOKEN: accessToken })
    expect(await started.exitCode).toBe(0)
    expect(started.output()).toMatch(/You are \S*ben/)
    expect(await withoutTerminal(['--bearer-env', 'TOKEN'], { TOKEN: 'other' }).exitCode).toBe(3)
  })
})
