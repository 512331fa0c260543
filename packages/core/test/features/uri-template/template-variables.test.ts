import { describe, expectTypeOf, it } from 'vitest'
import type { TemplateVariables } from '../../../src/features/uri-template/uri-template.ts'

describe('TemplateVariables', () => {
  it('maps positional variables to required strings', () => {
    expectTypeOf<TemplateVariables<'weather://{country}/{city}'>>().toEqualTypeOf<{
      country: string
      city: string
    }>()
    expectTypeOf<TemplateVariables<'x{a,b}{+c}{.d}{/e}{#f}'>>().toEqualTypeOf<
      Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', string>
    >()
  })

  it('maps named variables to optional strings', () => {
    expectTypeOf<TemplateVariables<'s://{id}{?q,limit}{&page}{;m}'>>().toEqualTypeOf<{
      id: string
      q?: string
      limit?: string
      page?: string
      m?: string
    }>()
  })

  it('maps exploded variables to arrays, and ignores prefix lengths', () => {
    expectTypeOf<TemplateVariables<'x{/path*}/{name:3}{?tag*}'>>().toEqualTypeOf<{
      path: string[]
      name: string
      tag?: string[]
    }>()
  })

  it('is an empty object type if there are no variables', () => {
    // oxlint-disable-next-line typescript/no-generated-empty-object-type
    type Names = keyof TemplateVariables<'weather://cities'>
    expectTypeOf<Names>().toBeNever()
  })

  it('is a record if the template has the type string', () => {
    expectTypeOf<TemplateVariables<string>>().toEqualTypeOf<Record<string, string | string[]>>()
  })

  it('supports the largest template', () => {
    type Ten<P extends string> =
      `{${P}0}/{${P}1}/{${P}2}/{${P}3}/{${P}4}/{${P}5}/{${P}6}/{${P}7}/{${P}8}/{${P}9}`
    type Names = keyof TemplateVariables<`x://${Ten<'a'>}/${Ten<'b'>}/${Ten<'c'>}{?d0,d1}`>
    expectTypeOf<'a0' | 'b5' | 'c9' | 'd1'>().toExtend<Names>()
  })

  it('rejects access to unknown variables, and to optional variables without a check', () => {
    const handler = (variables: TemplateVariables<'weather://{country}/{city}{?units}'>): string => {
      // @ts-expect-error the template has no such variable
      void variables.contry
      // @ts-expect-error a query variable can be missing
      const units: string = variables.units
      return variables.country + units
    }
    expectTypeOf(handler).returns.toBeString()
  })
})
