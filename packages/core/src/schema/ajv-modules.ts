import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Dialect } from './dialect.ts'

export type { Ajv, Options, ValidateFunction }

/** Makes an instance of ajv for a dialect. Its modules may be loaded when the first one is made. */
export type CreateAjv = (dialect: Dialect, options: Options) => Ajv

const CONSTRUCTORS: { readonly [D in Dialect]: new (options: Options) => Ajv } = {
  'draft-2020-12': Ajv2020,
  'draft-2019-09': Ajv2019,
  'draft-07': Ajv,
}

/** Loads ajv at once, so that a bundle has it. Nothing but the entry for bundles may lead here, types aside. */
export const bundledAjv: CreateAjv = (dialect, options) => new CONSTRUCTORS[dialect](options)
