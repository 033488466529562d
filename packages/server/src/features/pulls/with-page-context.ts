import { HubError } from '../../errors.ts'

/** Has a platform's fault on a page after the first say which page it was. */
export async function withPageContext<Result>(
  page: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (page === 1 || !(error instanceof HubError) || !error.code.startsWith('platform_')) {
      throw error
    }
    throw HubError.withMessage(error.code, `Page ${page}: ${error.message}`, error)
  }
}
