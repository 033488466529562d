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
    // Statuses after which the push is given up. After any other response it is retried.
    private static readonly int[] GiveUp = [400, 405, 410, 413, 415, 422];
    private static readonly HttpClient Client = new() { Timeout = TimeSpan.FromSeconds(10) };

    /// <summary>
    /// Sends one record until the hub has it, and returns the body of its response. Throws if the hub rejects it permanently.
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
                var text = await response.Content.ReadAsStringAsync(stop);
                if (response.IsSuccessStatusCode) return text;
                var status = (int)response.StatusCode;
                if (GiveUp.Contains(status))
                {
                    throw new InvalidOperationException($"The hub responded with {status}: {text}");
                }
                wait = response.Headers.RetryAfter?.Delta ?? wait;
            }
            catch (Exception error) when (!stop.IsCancellationRequested
                && error is HttpRequestException or TaskCanceledException)
            {
                Console.Error.WriteLine($"No response from the hub: {error.Message}");
            }
            await Task.Delay(wait, stop);
        }
    }
}
