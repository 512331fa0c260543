import library from './ajv-library.cjs'
import type { CreateAjv } from './ajv-types.ts'

/** Ajv as an import, which makes it a part of every bundle that leads here. */
export const bundledAjv: CreateAjv = (dialect, options) => library.create(dialect, options)
