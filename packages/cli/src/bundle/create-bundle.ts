import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import process from 'node:process'
import { checkVersion, type Project } from '../project/project.ts'
import type { RunningFile } from '../project/running-server.ts'
import type { Values } from '../project/settings.ts'
import type { Streams } from '../terminal.ts'
import { type Archive, type ArchiveFile, pack, textFile } from './archive.ts'
import { closureOf } from './closure.ts'
import { compile } from './compile.ts'
import { imageFile, ownFiles, ownTexts, packageFiles } from './files.ts'
import { collectLicences } from './licences.ts'
import { ENTRY_POINT, type Images, type Manifest, manifestOf } from './manifest.ts'
import { tryBundle } from './try-bundle.ts'

export interface BundleOptions {
  readonly project: Project
  readonly running: RunningFile
  readonly external: readonly string[]
  readonly toolsGenerated: boolean
  readonly values: Values
  readonly env: Streams['env']
  readonly progress: (text: string) => void
}

/** A bundle that was started successfully. */
export interface Bundle {
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly manifest: Manifest
  readonly warnings: readonly string[]
}

/** Bundles a server, and tests the bundle by starting it in another folder. @throws CliError */
export async function createBundle(options: BundleOptions): Promise<Bundle> {
  const { project, running, values, env, progress } = options
  checkVersion(project, running.details.info?.version)
  progress('Bundling')
  const { archive, manifest, warnings } = await collect(options)
  const bytes = pack(archive)
  progress('Starting the bundle in another folder')
  const { protocolVersion } = running.details
  await tryBundle({ bytes, manifest, project, protocolVersion, values, env })
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), manifest, warnings }
}

interface Collected {
  readonly archive: Archive
  readonly manifest: Manifest
  readonly warnings: readonly string[]
}

async function collect({ project, running, ...options }: BundleOptions): Promise<Collected> {
  const { packageJson, jetwayJson } = project
  const external = [...options.external, ...(jetwayJson.bundle?.external ?? [])]
  const compiled = await compile({ project, definition: running.definition, external })
  const closure = closureOf(compiled.external, packageJson.folder)
  const packaged = packageFiles(closure)
  const native = packaged.filter(([path]) => path.endsWith('.node'))
  const licences = collectLicences([...compiled.packages, ...closure.values()])
  const { files: imageFiles, images } = imagesOf(project)
  const toolsGenerated = options.toolsGenerated || jetwayJson.bundle?.toolsGenerated === true
  const manifest = manifestOf({ project, running, toolsGenerated, isNative: native.length > 0, images })
  const archive = new Map<string, ArchiveFile>([
    ...packaged,
    ...ownFiles(project),
    ...ownTexts(project, readdirSync(packageJson.folder)),
    ...imageFiles,
    ['manifest.json', textFile(json(manifest))],
    ['package.json', textFile(json(bundledPackage(project)))],
    [ENTRY_POINT, textFile(compiled.code)],
    ['THIRD-PARTY-LICENSES.txt', textFile(licences.text)],
  ])
  return { archive, manifest, warnings: warningsOf(licences.missing, native.length > 0) }
}

function warningsOf(missing: readonly string[], isNative: boolean): readonly string[] {
  return [
    ...(missing.length === 0
      ? []
      : [`No licence file is in ${missing.join(', ')}: ask their authors for one`]),
    ...(isNative
      ? [
          `The bundle has native code, so it runs on ${process.platform} with ${process.arch} only: make one for each platform there`,
        ]
      : []),
  ]
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/** The server may read its version from `../package.json`, and Node.js reads the module type from it. */
function bundledPackage({ packageJson: { name, version, mcpName, node } }: Project): object {
  return {
    name,
    version,
    type: 'module',
    private: true,
    ...(mcpName !== undefined && { mcpName }),
    ...(node !== undefined && { engines: { node } }),
  }
}

function imagesOf(project: Project): { readonly files: [string, ArchiveFile][]; readonly images: Images } {
  const { icon, screenshots = [] } = project.jetwayJson
  const files: [string, ArchiveFile][] = screenshots.map((path, at) => [
    `screenshots/${at + 1}.png`,
    imageFile(project, 'screenshots', path),
  ])
  const shown = files.map(([path]) => path)
  if (icon === undefined) return { files, images: { screenshots: shown } }
  const file = imageFile(project, 'icon', icon)
  files.push(['icon.png', file])
  return { files, images: { screenshots: shown, icon: { path: 'icon.png', size: file.size } } }
}
