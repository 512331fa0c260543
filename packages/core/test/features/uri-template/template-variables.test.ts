import { describe, expectTypeOf, it } from 'vitest'
import type { TemplateVariables } from '../../../src/features/uri-template/uri-template.ts'

describe('TemplateVariables', () => {
  it('takes positional variables as required strings', () => {
    expectTypeOf<TemplateVariables<'weather://{country}/{city}'>>().toEqualTypeOf<{
      country: string
      city: string
    }>()
    expectTypeOf<TemplateVariables<'x{a,b}{+c}{.d}{/e}{#f}'>>().toEqualTypeOf<
      Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', string>
    >()
  })

  it('takes named variables as optional', () => {
    expectTypeOf<TemplateVariables<'s://{id}{?q,limit}{&page}{;m}'>>().toEqualTypeOf<{
      id: string
      q?: string
      limit?: string
      page?: string
      m?: string
    }>()
  })

  it('takes exploded variables as arrays and drops prefix lengths', () => {
    expectTypeOf<TemplateVariables<'x{/path*}/{name:3}{?tag*}'>>().toEqualTypeOf<{
      path: string[]
      name: string
      tag?: string[]
    }>()
  })

  it('is empty without variables', () => {
    // oxlint-disable-next-line typescript/no-generated-empty-object-type
    type Names = keyof TemplateVariables<'weather://cities'>
    expectTypeOf<Names>().toBeNever()
  })

  it('is a record for a template known only at run time', () => {
    expectTypeOf<TemplateVariables<string>>().toEqualTypeOf<Record<string, string | string[]>>()
  })

  it('stays shallow for the largest template', () => {
    type Ten<P extends string> =
      `{${P}0}/{${P}1}/{${P}2}/{${P}3}/{${P}4}/{${P}5}/{${P}6}/{${P}7}/{${P}8}/{${P}9}`
    type Names = keyof TemplateVariables<`x://${Ten<'a'>}/${Ten<'b'>}/${Ten<'c'>}{?d0,d1}`>
    expectTypeOf<'a0' | 'b5' | 'c9' | 'd1'>().toExtend<Names>()
  })

  it('refuses wrong code', () => {
    const handler = (variables: TemplateVariables<'weather://{country}/{city}{?units}'>): string => {
      // @ts-expect-error the template has no such variable
      void variables.contry
      // @ts-expect-error a query variable may be missing
      const units: string = variables.units
      return variables.country + units
    }
    expectTypeOf(handler).returns.toBeString()
  })
})
