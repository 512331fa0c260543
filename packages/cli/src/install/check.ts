import process from 'node:process'
import type { LocalServer } from '../hosts/host.ts'

/** How long a host waits at most: Codex does so for 10 s. */
const TIMEOUT_MS = 10_000

export type CheckResult =
  | { readonly ok: true; readonly tools: number }
  | { readonly ok: false; readonly message: string }

/**
 * Starts an entry as an app does: a short PATH, no variables of a shell, and another folder.
 */
export async function check(
  { command, args, env, references }: LocalServer,
  own: Readonly<Record<string, string | undefined>>,
): Promise<CheckResult> {
  const { connect } = await import('@jetway/client/config')
  const system = process.platform === 'win32' ? WINDOWS_NAMES : ['HOME']
  const pass = Object.fromEntries(
    [...system, ...references].flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])),
  )
  try {
    const client = await connect(
      {
        command,
        args,
        cwd: process.platform === 'win32' ? (process.env['SystemRoot'] ?? '.') : '/',
        inheritEnv: 'none',
        env: { ...(process.platform !== 'win32' && { PATH: '/usr/bin:/bin' }), ...pass, ...env },
        stderr: () => {},
      },
      { info: { name: 'jetway-install', version: '0' }, signal: AbortSignal.timeout(TIMEOUT_MS) },
    )
    try {
      const tools = await client.listTools()
      return { ok: true, tools: tools.length }
    } finally {
      await client.close()
    }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

const WINDOWS_NAMES = ['PATH', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'SystemRoot', 'TEMP']
