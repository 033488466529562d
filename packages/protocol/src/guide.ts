import Type, { type Static } from 'typebox'
import { OneOf } from './common.ts'

export const GuideQuery = Type.Object(
  { format: Type.Optional(OneOf('markdown', 'json')) },
  { additionalProperties: false },
)

/** The integration guide; `platform_name` is null where it is the one for any platform. */
export const GuideAnswer = Type.Object({
  success: Type.Literal(true),
  platform_name: Type.Union([Type.String(), Type.Null()]),
  file_name: Type.String({ description: 'What to call it as a file' }),
  markdown: Type.String(),
})

export type GuideAnswer = Static<typeof GuideAnswer>
