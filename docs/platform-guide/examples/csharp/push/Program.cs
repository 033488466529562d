using System.Text;
using System.Text.Json.Nodes;

// dotnet run POST record.json PATCH change.json: one after the other.
foreach (var push in args.Chunk(2))
{
    var record = JsonNode.Parse(await File.ReadAllTextAsync(push[1]))!.AsObject();
    Console.WriteLine(await Hub.PushAsync(new HttpMethod(push[0]), record));
}

public static class Hub
{
    private static readonly string Receiver =
        (Environment.GetEnvironmentVariable("HUB_URL") ?? "https://hub.example.org") + "/api/webhook/receive";
    // The hub will never accept a push after one of these. After everything else it is sent again.
    private static readonly int[] GiveUp = [400, 410, 413, 415, 422];
    private static readonly HttpClient Client = new() { Timeout = TimeSpan.FromSeconds(10) };

    /// <summary>
    /// Sends one record until the hub has it, and gives its answer. Throws if the hub rejects it for good.
    /// </summary>
    public static async Task<string> PushAsync(HttpMethod method, JsonObject record, CancellationToken stop = default)
    {
        record["occurred_at"] ??= DateTimeOffset.UtcNow.ToString("O");
        var json = record.ToJsonString();
        for (var pause = 1; ; pause = Math.Min(60, pause * 2))
        {
            var wait = TimeSpan.FromSeconds(pause);
            try
            {
                using var request = new HttpRequestMessage(method, Receiver)
                {
                    Content = new StringContent(json, Encoding.UTF8, "application/json"),
                };
                request.Headers.Add("Accept", "application/json");
                request.Headers.Add("X-API-KEY", Environment.GetEnvironmentVariable("HUB_API_KEY"));
                request.Headers.Add("ngrok-skip-browser-warning", "true");
                using var response = await Client.SendAsync(request, stop);
                var answer = await response.Content.ReadAsStringAsync(stop);
                if (response.IsSuccessStatusCode) return answer;
                var status = (int)response.StatusCode;
                if (GiveUp.Contains(status))
                {
                    throw new InvalidOperationException($"The hub answered {status}: {answer}");
                }
                wait = response.Headers.RetryAfter?.Delta ?? wait;
            }
            catch (Exception error) when (!stop.IsCancellationRequested
                && error is HttpRequestException or TaskCanceledException)
            {
                Console.Error.WriteLine($"No answer from the hub: {error.Message}");
            }
            await Task.Delay(wait, stop);
        }
    }
}
