import { readFileSync } from 'node:fs'
import { freePorts, type Nginx, startNginx } from '@jetway-apps/test-support/nginx'

/** The guide that contains the configuration, including its port. */
const GUIDE = new URL('../../../../docs/guide/proxy.md', import.meta.url)
const SNIPPET = /```nginx\n([\s\S]*?)```/
const DOCUMENTED_PORT = '127.0.0.1:3000'

/** An nginx that runs in front of servers on this machine. */
export interface GuideNginx extends Nginx {
  /** The port for each server, in the given order. */
  readonly ports: readonly number[]
}

/**
 * Starts nginx in front of the servers on `targets`, with the guide's configuration and the given idle limit.
 */
export async function startGuideNginx(targets: readonly number[], readTimeout: string): Promise<GuideNginx> {
  const [, location] = SNIPPET.exec(readFileSync(GUIDE, 'utf8')) ?? []
  if (location?.includes(DOCUMENTED_PORT) !== true) throw new Error('The guide has no nginx configuration')
  const ports = await freePorts(targets.length)
  const blocks = ports.map((port, n) => {
    const forwarding = location.replace(DOCUMENTED_PORT, `127.0.0.1:${targets[n]}`)
    return `server { listen 127.0.0.1:${port}; server_name mcp.example.com;\n${forwarding}}`
  })
  const nginx = await startNginx([`proxy_read_timeout ${readTimeout};`, ...blocks].join('\n'), ports)
  return { ...nginx, ports }
}
