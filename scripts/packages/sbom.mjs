/**
 * Lists what a package installs, in CycloneDX format. Runs `npm sbom` in the project in which the tarball was
 * checked.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} folder the project @param {string} name the package @param {string} version
 * @returns {string} the list, with the package as its subject
 */
export function sbomOf(folder, name, version) {
  nameVersions(folder)
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--omit', 'dev']
  const text = execFileSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 64 * 1024 * 1024,
  })
  return `${JSON.stringify(ofPackage(JSON.parse(text), name, version), null, 2)}\n`
}

/**
 * Replaces the tarball paths in the project's manifest with the installed versions. Without a lockfile, npm
 * does not know that these packages came from tarballs, and fails. It also requires a version for the project
 * itself.
 */
function nameVersions(folder) {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  for (const [name, spec] of Object.entries(manifest.dependencies ?? {})) {
    if (!spec.startsWith('file:')) continue
    const installed = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    manifest.dependencies[name] = JSON.parse(installed).version
  }
  writeFileSync(file, JSON.stringify({ version: '0.0.0', ...manifest }))
}

/**
 * Turns the list for a project into a list for the package that it has installed, and removes local paths.
 *
 * @param {any} sbom @param {string} name @param {string} version
 * @throws Error if the list does not contain the package
 */
export function ofPackage(sbom, name, version) {
  const components = sbom.components.map(({ externalReferences = [], ...component }) => {
    const references = externalReferences.filter(({ url }) => !url.startsWith('file:'))
    const properties = (component.properties ?? []).filter(({ name: key }) => key !== 'cdx:npm:package:path')
    return { ...component, properties, ...(references.length > 0 && { externalReferences: references }) }
  })
  const ref = `${name}@${version}`
  const subject = components.find((component) => component['bom-ref'] === ref)
  if (subject === undefined) throw new Error(`npm sbom lists no ${ref}`)
  const project = sbom.metadata.component['bom-ref']
  const reached = reachable(ref, sbom.dependencies)
  const isWithin = (component) => reached.has(component['bom-ref']) && component !== subject
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: subject },
    components: components.filter(isWithin),
    dependencies: sbom.dependencies.filter((entry) => entry.ref !== project && reached.has(entry.ref)),
  }
}

function reachable(ref, dependencies, found = new Set()) {
  if (found.has(ref)) return found
  found.add(ref)
  for (const next of dependencies.find((entry) => entry.ref === ref)?.dependsOn ?? [])
    reachable(next, dependencies, found)
  return found
}
