export { skills, type SkillsExtension, type SkillsOptions } from './skills.ts'
export type { Skill, SkillContent, SkillDefinition, SkillResource } from './skill-types.ts'
