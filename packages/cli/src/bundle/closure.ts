import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError } from '../errors.ts'
import { type InstalledPackage, readPackage } from './installed-package.ts'

/**
 * The packages, keyed by the path to which to copy them, such as `node_modules/a/node_modules/b`, in the
 * order in which they were found.
 */
export type Closure = ReadonlyMap<string, InstalledPackage>

const MAX_PACKAGES = 2_000

/**
 * Finds packages and all their dependencies, in the versions that are currently installed, regardless of the
 * package manager. A package is placed as high as possible. A second version of a package is placed below the
 * package that depends on it.
 *
 * @throws CliError `failed` if a package is not installed
 */
export function closureOf(names: readonly string[], folder: string): Closure {
  const placed = new Map<string, InstalledPackage>()
  const waiting = names.map((name) => ({ name, from: folder, below: '', isOptional: false }))
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, from, below, isOptional } = next
    const found = findInstalled(name, from)
    if (found === undefined) {
      if (isOptional) continue
      throw new CliError('failed', `The package ${name} is not installed, and ${from} needs it`, {
        hint: 'Install the dependencies of the server first',
      })
    }
    const place = placeOf(placed, found, below)
    if (place === undefined) continue
    if (placed.size >= MAX_PACKAGES)
      throw new CliError('failed', `The packages ${names.join(', ')} need more than ${MAX_PACKAGES} others`)
    placed.set(place, found)
    const needs = (those: readonly string[], optional: boolean) =>
      those.map((each) => ({ name: each, from: found.folder, below: place, isOptional: optional }))
    waiting.push(...needs(found.dependencies, false), ...needs(found.optional, true))
  }
  return placed
}

/** Returns the place for a package, or undefined if it is already placed where the package at `below` finds it. */
function placeOf(placed: Closure, { name, folder }: InstalledPackage, below: string): string | undefined {
  for (let parent: string | undefined = below; parent !== undefined; parent = parentOf(parent)) {
    const seen = placed.get(join(parent, 'node_modules', name))
    if (seen?.folder === folder) return undefined
    if (seen !== undefined) return join(below, 'node_modules', name)
  }
  return join('node_modules', name)
}

function parentOf(place: string): string | undefined {
  if (place === '') return undefined
  return place.slice(0, Math.max(0, place.lastIndexOf('node_modules') - 1))
}

/** Searches like Node, in the `node_modules` of the folder and of each folder above it. */
function findInstalled(name: string, from: string): InstalledPackage | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(candidate)) return readPackage(realpathSync(candidate))
    if (folder === dirname(folder)) return undefined
  }
}
