/** For Hono: `app.use(toHonoMiddleware(handler))`. */
import type { PlatformHandler } from './handler.ts'

type Context = { req: { raw: Request } }

export function toHonoMiddleware(
  handler: PlatformHandler,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const answer = await handler(context.req.raw)
    if (answer !== null) return answer
    await next()
    return undefined
  }
}
