import { unknownName } from '../unknown-name.ts'
import type { Host } from './host.ts'
import { HOSTS } from './index.ts'

/** @throws CliError `usage` if there is no such host */
export async function findHost(id: string): Promise<Host> {
  const host = HOSTS.find((one) => one.id === id)
  if (host !== undefined) return host
  throw await unknownName(
    'The host',
    id,
    HOSTS.map((one) => one.id),
  )
}
