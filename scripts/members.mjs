import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The folders that contain the workspace's packages and apps, as given by the `/*` patterns in
 * `pnpm-workspace.yaml`.
 */
const folders = Array.from(
  readFileSync(`${root}pnpm-workspace.yaml`, 'utf8').matchAll(/^ {2}- (\S+)\/\*$/gm),
  ([, folder]) => folder,
)

export const members = folders.flatMap((folder) =>
  readdirSync(root + folder)
    .map((name) => `${folder}/${name}`)
    // If a package exists only on another branch, an empty folder may be left in its place.
    .filter((member) => existsSync(`${root}${member}/package.json`)),
)
