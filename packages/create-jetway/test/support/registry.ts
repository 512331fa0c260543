import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root: string = fileURLToPath(new URL('../../../../', import.meta.url))

interface Registry {
  readonly url: string
  readonly close: () => Promise<void>
}

interface Scripts {
  readonly configuredRegistry: () => string
  readonly startRegistry: (options: {
    readonly folder: string
    readonly upstream: string
  }) => Promise<Registry>
}

export const scripts = (await import(join(root, 'scripts/registry.mjs'))) as Scripts

/** Packs all packages, and serves them as the npm registry would. Requires a build. */
export async function serveRegistry(): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-tarballs-'))
  const remove = (): void => rmSync(folder, { recursive: true })
  const pack = ['--filter', './packages/*', '--recursive', 'pack', '--pack-destination', folder]
  try {
    await promisify(execFile)(process.execPath, [join(root, '.ci/pnpm.mjs'), ...pack], { cwd: root })
    const { url, close } = await scripts.startRegistry({ folder, upstream: scripts.configuredRegistry() })
    return { url, close: () => close().then(remove) }
  } catch (error) {
    remove()
    throw error
  }
}
