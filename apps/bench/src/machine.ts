import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = ['fastify', 'hono', '@hono/node-server', '@modelcontextprotocol/server', 'zod']

/** Describes the machine and the versions in one line, without the machine's name. */
export function describeMachine(isPinned: boolean): string {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? 'unknown processor'
  const versions = PACKAGES.map((name) => `${name} ${versionOf(name)}`).join(', ')
  const pinning = isPinned ? 'servers and load pinned to one processor each' : 'nothing pinned'
  return `${processors.length} × ${model}, ${process.platform} ${process.arch}, Node ${process.versions.node}, loopback, ${pinning}; ${versions}`
}

/** Some packages do not export their manifest, so the function searches upwards from the entry file. */
function versionOf(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.resolve(name)))
  for (;;) {
    const manifest = readManifest(join(folder, 'package.json'))
    if (manifest?.name === name && manifest.version !== undefined) return manifest.version
    const parent = dirname(folder)
    if (parent === folder) return 'of unknown version'
    folder = parent
  }
}

function readManifest(file: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string }
  } catch {
    return undefined
  }
}
