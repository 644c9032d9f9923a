// Made by scripts/generate-files.mjs from the contract of the API. Do not edit.
export interface paths {
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showSession"];
        put?: never;
        post: operations["openSession"];
        delete: operations["closeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listLoginWays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["followLink"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oidc/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["beginLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["finishLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oidc/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["leaveProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/my/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["myPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listDlqs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/messages/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTraffic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSnapshots"];
        put?: never;
        post: operations["makeSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showSnapshot"];
        put?: never;
        post?: never;
        delete: operations["deleteSnapshot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["watchSnapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots/{id}/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSnapshotCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots/{id}/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSnapshotFacets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots/{id}/histogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showSnapshotHistogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSnapshotMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/snapshots/{id}/messages/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showSnapshotMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/redrives/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["planRedrive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/redrives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["startRedrive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/messages/{key}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["editMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["verifyReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["pauseTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resumeTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancelTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["watchTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/grant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["grantApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/refuse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["refuseApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/note": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["writeNote"];
        delete: operations["removeNote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}/acknowledgement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["acknowledgeTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["downloadBackup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dlqs/{queue}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["discardMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listBackups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["fetchBackup"];
        put?: never;
        post?: never;
        delete: operations["deleteBackup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/restores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["restoreBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["watchEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topology": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showTopology"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topology/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showLiveTopology"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topology/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["planTopology"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topology/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showProblems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/topology/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["applyTopology"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dlq/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dlq/queues/{queue}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dlq/queues/{queue}/re-drive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminRedrive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["start"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["isAlive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["isReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/broker": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["brokerState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["showDemo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/demo/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["turnDemoClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/demo/world": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["mendDemo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Credentials: {
            username: string;
            password: string;
        };
        Permission: "dlq:read" | "payload:read" | "dlq:redrive" | "dlq:backup" | "dlq:discard" | "dlq:restore" | "dlq:admin" | "topology:read" | "topology:apply" | "audit:read";
        OpenedSession: {
            name: string;
            role: "viewer" | "operator" | "admin";
            wayIn: "broker-account" | "token" | "oidc" | "nobody-asked";
            vhost: string;
            permissions: components["schemas"]["Permission"][];
            features: "demo"[];
            csrfToken: string;
            expiresAt: string;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
        };
        CurrentSession: {
            name: string;
            role: "viewer" | "operator" | "admin";
            wayIn: "broker-account" | "token" | "oidc" | "nobody-asked";
            vhost: string;
            permissions: components["schemas"]["Permission"][];
            features: "demo"[];
            csrfToken: string | null;
            expiresAt: string | null;
            vhosts: {
                name: string;
                path: string;
                isHere: boolean;
            }[];
        };
        LoginWays: {
            isOpen: boolean;
            hasAccounts: boolean;
            oidcLogin: string | null;
        };
        MyPermissions: {
            name: string;
            role: "viewer" | "operator" | "admin";
            wayIn: "broker-account" | "token" | "oidc" | "nobody-asked";
            vhost: string;
            permissions: components["schemas"]["Permission"][];
            features: "demo"[];
        };
        Dlq: {
            queue: string;
            type: string | null;
            messages: number | null;
            unacknowledged: number | null;
            total: number | null;
            perSecond: number | null;
            consumers: number | null;
            originConsumers: number | null;
            oldestDeath: string | null;
            mainCause: {
                id: string;
                label: string;
                kind: "error" | "death" | "unknown";
                count: number;
                asOf: string;
            } | null;
            sources: string[];
            knownBy: "topology" | "dead-lettering" | "name";
        };
        DlqList: {
            vhost: string;
            items: components["schemas"]["Dlq"][];
        };
        CauseCount: {
            id: string;
            label: string;
            kind: "error" | "death" | "unknown";
            count: number;
            first: string | null;
            last: string | null;
            sample: string | null;
            by: {
                field: string;
                value: string | null;
            }[];
            splits: {
                field: string;
                values: {
                    value: string | null;
                    count: number;
                }[];
            }[];
        };
        CauseList: {
            queue: string;
            present: number;
            seen: number;
            isWhole: boolean;
            asOf: string | null;
            causes: components["schemas"]["CauseCount"][];
        };
        Cause: {
            id: string;
            label: string;
            kind: "error" | "death" | "unknown";
        };
        MessageSummary: {
            key: string;
            id: string | null;
            type: string | null;
            exchange: string;
            routingKey: string;
            failedIn: string | null;
            cause: components["schemas"]["Cause"];
            diedAt: string | null;
            attempts: number | null;
            bodyBytes: number;
        };
        MessagePage: {
            queue: string;
            present: number;
            isWhole: boolean;
            asOf: string | null;
            items: components["schemas"]["MessageSummary"][];
            nextCursor: string | null;
        };
        MessageProperties: {
            contentType: string | null;
            contentEncoding: string | null;
            deliveryMode: number | null;
            priority: number | null;
            correlationId: string | null;
            replyTo: string | null;
            expiration: string | null;
            messageId: string | null;
            timestamp: string | null;
            type: string | null;
            userId: string | null;
            appId: string | null;
            clusterId: string | null;
        };
        TypedHeader: {
            name: string;
            type: string;
            value: unknown;
        };
        DeathRecord: {
            queue: string;
            reason: string;
            count: number;
            firstAt: string | null;
            exchange: string | null;
            routingKeys: string[];
        };
        MessageBody: {
            encoding: "utf8" | "base64";
            text: string;
            isCut: boolean;
            isMasked: boolean;
        };
        MessageDetail: {
            asOf: string | null;
            key: string;
            id: string | null;
            type: string | null;
            exchange: string;
            routingKey: string;
            failedIn: string | null;
            cause: components["schemas"]["Cause"];
            diedAt: string | null;
            attempts: number | null;
            bodyBytes: number;
            properties: components["schemas"]["MessageProperties"];
            headers: components["schemas"]["TypedHeader"][];
            deaths: components["schemas"]["DeathRecord"][];
            body: components["schemas"]["MessageBody"] | null;
            bodyHidden: ("from-your-role" | "cannot-be-masked") | null;
            decoded: components["schemas"]["MessageBody"] | null;
        };
        HistoryPoint: {
            at: string;
            messages: number;
            perSecond: number | null;
        };
        DepthHistory: {
            queue: string;
            points: components["schemas"]["HistoryPoint"][];
        };
        HistoryList: {
            everySeconds: number;
            items: components["schemas"]["DepthHistory"][];
        };
        QueueTraffic: {
            queue: string;
            type: string | null;
            isDlq: boolean;
            ready: number | null;
            unacknowledged: number | null;
            consumers: number | null;
            inPerSecond: number | null;
            outPerSecond: number | null;
            acknowledgedPerSecond: number | null;
        };
        QueueTrafficList: {
            vhost: string;
            at: string;
            items: components["schemas"]["QueueTraffic"][];
        };
        SnapshotRequest: {
            where?: string;
        };
        SnapshotState: "running" | "done" | "cancelled" | "failed";
        Snapshot: {
            id: string;
            queue: string;
            state: components["schemas"]["SnapshotState"];
            by: string;
            host: string;
            where: string | null;
            startedAt: string;
            endedAt: string | null;
            asOf: string;
            expiresAt: string | null;
            progress: {
                present: number;
                seen: number;
            };
            isWhole: boolean;
            messages: number;
            bytes: number;
            since: {
                messages: number | null;
                change: number | null;
                acknowledged: number | null;
            };
            problem: components["schemas"]["Problem"] | null;
        };
        SnapshotList: {
            queue: string;
            items: components["schemas"]["Snapshot"][];
        };
        SnapshotCause: {
            id: string;
            label: string;
            kind: "error" | "death" | "unknown";
            count: number;
            first: string | null;
            last: string | null;
            sample: string;
        };
        SnapshotCauses: {
            queue: string;
            snapshot: string;
            asOf: string;
            since: {
                messages: number | null;
                change: number | null;
                acknowledged: number | null;
            };
            messages: number;
            matched: number;
            search: {
                seen: number;
                isWhole: boolean;
            };
            causes: components["schemas"]["SnapshotCause"][];
        };
        SnapshotFacets: {
            queue: string;
            snapshot: string;
            asOf: string;
            since: {
                messages: number | null;
                change: number | null;
                acknowledged: number | null;
            };
            messages: number;
            matched: number;
            search: {
                seen: number;
                isWhole: boolean;
            };
            facets: {
                field: "type" | "queue" | "exchange" | "key" | "header" | "attempts" | "cause";
                name: string | null;
                values: {
                    value: string | null;
                    label: string | null;
                    count: number;
                }[];
                distinct: number;
            }[];
        };
        SnapshotHistogram: {
            queue: string;
            snapshot: string;
            asOf: string;
            since: {
                messages: number | null;
                change: number | null;
                acknowledged: number | null;
            };
            messages: number;
            matched: number;
            search: {
                seen: number;
                isWhole: boolean;
            };
            from: string | null;
            to: string | null;
            bucketMs: number;
            bars: {
                from: string;
                count: number;
            }[];
            undated: number;
        };
        SnapshotMessage: {
            position: number;
            key: string;
            id: string | null;
            type: string | null;
            exchange: string;
            routingKey: string;
            failedIn: string | null;
            cause: components["schemas"]["Cause"];
            diedAt: string | null;
            attempts: number | null;
            bodyBytes: number;
        };
        SnapshotPage: {
            queue: string;
            snapshot: string;
            asOf: string;
            since: {
                messages: number | null;
                change: number | null;
                acknowledged: number | null;
            };
            messages: number;
            matched: number;
            search: {
                seen: number;
                isWhole: boolean;
            };
            items: components["schemas"]["SnapshotMessage"][];
            nextCursor: string | null;
        };
        SnapshotMessageDetail: {
            queue: string;
            snapshot: string;
            asOf: string;
            since: {
                messages: number | null;
                change: number | null;
                acknowledged: number | null;
            };
            position: number;
            sameContent: number;
            key: string;
            id: string | null;
            type: string | null;
            exchange: string;
            routingKey: string;
            failedIn: string | null;
            cause: components["schemas"]["Cause"];
            diedAt: string | null;
            attempts: number | null;
            bodyBytes: number;
            properties: components["schemas"]["MessageProperties"];
            headers: components["schemas"]["TypedHeader"][];
            deaths: components["schemas"]["DeathRecord"][];
            body: components["schemas"]["MessageBody"] | null;
            bodyHidden: ("from-your-role" | "cannot-be-masked") | null;
            decoded: components["schemas"]["MessageBody"] | null;
        };
        PlanRequest: {
            queue: string;
            where?: string;
            acceptDeliveryLimit?: boolean;
            hold?: number | string;
            keys?: string[];
            to?: string | {
                queue: string;
            };
            trustHeaders?: boolean;
            attempts?: "reset" | "continue";
            limit?: number;
            ratePerSecond?: number;
            canary?: {
                messages: number;
                wait?: number | string;
            };
            stopWhenDead?: number | string;
            stopWhenTargetAbove?: number;
            edit?: {
                body?: string | {
                    encoding: "utf8" | "base64";
                    text: string;
                };
                headers?: Record<string, never>;
            };
            wait?: number | string;
            window?: {
                messages?: number;
                bytes?: number;
            };
            reason?: string;
            snapshot?: string;
        };
        PlannedTarget: {
            target: string;
            count: number;
            why: string;
            queues: string[];
            secondFailure: string | null;
            keyChanges: number;
            keysBefore: string[];
        };
        RedrivePlan: {
            queue: string;
            present: number;
            moving: number;
            seen: number;
            isWhole: boolean;
            targets: components["schemas"]["PlannedTarget"][];
            keeping: {
                reason: string;
                count: number;
            }[];
            refusals: string[];
            missing: number;
            sinceSnapshot: {
                asOf: string;
                gone: number;
                come: number;
            } | null;
            needsApproval: boolean;
            digest: string;
        };
        RedriveRequest: {
            queue: string;
            where?: string;
            acceptDeliveryLimit?: boolean;
            hold?: number | string;
            keys?: string[];
            to?: string | {
                queue: string;
            };
            trustHeaders?: boolean;
            attempts?: "reset" | "continue";
            limit?: number;
            ratePerSecond?: number;
            canary?: {
                messages: number;
                wait?: number | string;
            };
            stopWhenDead?: number | string;
            stopWhenTargetAbove?: number;
            edit?: {
                body?: string | {
                    encoding: "utf8" | "base64";
                    text: string;
                };
                headers?: Record<string, never>;
            };
            wait?: number | string;
            window?: {
                messages?: number;
                bytes?: number;
            };
            reason?: string;
            planDigest?: string;
        };
        TaskState: "running" | "paused" | "cancelling" | "done" | "cancelled" | "stopped" | "failed" | "interrupted";
        Task: {
            id: string;
            kind: "redrive" | "snapshot";
            state: components["schemas"]["TaskState"];
            queue: string;
            by: string;
            reason: string | null;
            host: string;
            startedAt: string;
            endedAt: string | null;
            progress: {
                present: number;
                moved: number;
                failed: number;
                kept: number;
            };
            movedBefore: number;
            problem: components["schemas"]["Problem"] | null;
            limit: number | null;
            isSigned: boolean;
        };
        DiscardRequest: {
            where?: string;
            acceptDeliveryLimit?: boolean;
            hold?: number | string;
            keys?: string[];
            limit?: number;
            reason?: string;
        };
        ApplyRequest: {
            plan: string;
            allowDisruptive?: boolean;
            reason?: string;
        };
        ApprovalAsks: {
            action: "redrive";
            request: components["schemas"]["RedriveRequest"];
        } | {
            action: "discard";
            queue: string;
            request: components["schemas"]["DiscardRequest"];
        } | {
            action: "apply";
            request: components["schemas"]["ApplyRequest"];
        };
        Approval: {
            kind: "approval";
            id: string;
            asks: components["schemas"]["ApprovalAsks"];
            messages: number | null;
            by: string;
            reason: string | null;
            askedAt: string;
            expiresAt: string;
            state: "waiting" | "granted" | "refused" | "expired";
            decidedBy: string | null;
            decidedAt: string | null;
            isSigned: boolean;
        };
        MessageRedriveRequest: {
            body?: string | {
                encoding: "utf8" | "base64";
                text: string;
            };
            headers?: Record<string, never>;
            to?: string | {
                queue: string;
            };
            attempts?: "reset" | "continue";
            reason?: string;
        };
        VerifyRequest: {
            receipt: {
                [key: string]: unknown;
            };
            includesTargets?: boolean;
        };
        Verification: {
            id: string;
            queue: string;
            verdict: "holds" | "broken" | "unknown";
            checks: {
                name: "sums" | "balance" | "left" | "moved" | "digest";
                verdict: "holds" | "broken" | "unknown";
                detail: string;
            }[];
        };
        TaskList: {
            items: components["schemas"]["Task"][];
            nextCursor: string | null;
        };
        NotedRequest: {
            queue: string;
            where?: string;
            acceptDeliveryLimit?: boolean;
            hold?: number | string;
            keys?: string[];
            to?: string | {
                queue: string;
            };
            trustHeaders?: boolean;
            attempts?: "reset" | "continue";
            limit?: number;
            ratePerSecond?: number;
            canary?: {
                messages: number;
                wait?: number | string;
            };
            stopWhenDead?: number | string;
            stopWhenTargetAbove?: number;
            edit?: {
                bodySha256?: string;
                headers?: string[];
            };
            wait?: number | string;
            window?: {
                messages?: number;
                bytes?: number;
            };
            reason?: string;
        };
        Receipt: {
            format: "warren-receipt/1";
            id: string;
            queue: string;
            vhost: string;
            by: string;
            reason?: string;
            request?: components["schemas"]["NotedRequest"];
            where?: string;
            startedAt: string;
            endedAt: string;
            ratePerSecond: number;
            outcome: "done" | "cancelled" | "held-too-long" | "came-back-dead" | "target-too-deep" | "interrupted";
            interruption?: "away" | "locked" | "node-lost" | "no-progress" | "queue-deleted" | "failed" | "forbidden" | "taken";
            present: number;
            moved: number;
            published?: number;
            acksInDoubt?: number;
            unanswered?: number;
            failed: number;
            kept: number;
            stillThere: number;
            arrivals: number;
            cameBack: number;
            missing: number;
            otherConsumers: number;
            duplicatesPossible: number;
            refreshed: number;
            movedAside?: number;
            unproved?: number;
            isBalanced: boolean;
            isCounted?: boolean;
            areRoutesProved?: boolean;
            targets: {
                target: string;
                moved: number;
            }[];
            causes: {
                id: string;
                label: string;
                moved: number;
            }[];
            failures: {
                kind: "unroutable" | "refused" | "unanswered";
                count: number;
                targets?: string[];
            }[];
            keptBecause: {
                reason: "not-selected" | "over-the-limit" | "origin-unknown" | "origin-foreign" | "type-unknown" | "no-wait-queue" | "target-refused" | "too-large" | "unreadable" | "came-back" | "dead-again" | "stopped";
                count: number;
            }[];
            digest: string | null;
            refusals: string[];
        };
        ApprovalList: {
            items: components["schemas"]["Approval"][];
            nextCursor: string | null;
        };
        Note: {
            id: string;
            about: "queue" | "task";
            queue: string;
            task: string | null;
            text: string;
            by: string;
            at: string;
        };
        NoteList: {
            items: components["schemas"]["Note"][];
        };
        NoteRequest: {
            text: string;
        };
        AcknowledgeRequest: {
            text?: string;
        };
        KeptBackup: {
            id: string;
            purpose: "backup" | "discard";
            queue: string;
            vhost: string;
            by: string;
            startedAt: string;
            sizeBytes: number;
        };
        Discarded: {
            kind: "discarded";
            queue: string;
            present: number;
            removed: number;
            left: number;
            missing: number;
            isDone: boolean;
            backup: components["schemas"]["KeptBackup"];
        };
        BackupList: {
            items: components["schemas"]["KeptBackup"][];
            nextCursor: string | null;
        };
        Restored: {
            queue: string;
            records: number;
            restored: number;
            restoredBefore: number;
            alreadyThere: number;
            notRemoved: number;
            duplicatesPossible: number;
            failed: number;
        };
        TopologyExchange: {
            name: string;
            type: string;
            durable: boolean;
            autoDelete: boolean;
            internal: boolean;
            arguments: {
                [key: string]: unknown;
            };
        };
        CompiledQueue: {
            name: string;
            type: string;
            durable: boolean;
            autoDelete: boolean;
            arguments: {
                [key: string]: unknown;
            };
            role: "work" | "wait" | "dead-letter";
            owner: string;
            layout: string;
        };
        TopologyBinding: {
            source: string;
            destination: string;
            destinationType: "queue" | "exchange";
            key: string;
            arguments: {
                [key: string]: unknown;
            };
        };
        CompiledTopology: {
            brokerVersion: string;
            exchanges: components["schemas"]["TopologyExchange"][];
            queues: components["schemas"]["CompiledQueue"][];
            bindings: components["schemas"]["TopologyBinding"][];
        };
        LiveQueue: {
            name: string;
            type: string;
            durable: boolean;
            autoDelete: boolean;
            arguments: {
                [key: string]: unknown;
            };
            policy: string | null;
            operatorPolicy: string | null;
            messages: number | null;
            consumers: number | null;
        };
        LiveTopology: {
            brokerVersion: string;
            exchanges: components["schemas"]["TopologyExchange"][];
            queues: components["schemas"]["LiveQueue"][];
            bindings: components["schemas"]["TopologyBinding"][];
            policies: {
                name: string;
                pattern: string;
                applyTo: string;
                priority: number;
                definition: {
                    [key: string]: unknown;
                };
                isOperatorPolicy: boolean;
            }[];
        };
        PlanStep: {
            kind: "create-exchange" | "create-queue" | "add-binding" | "remove-binding" | "delete-queue";
            target: string;
        };
        TopologyPlan: {
            digest: string;
            brokerVersion: string;
            isEmpty: boolean;
            safe: components["schemas"]["PlanStep"][];
            disruptive: components["schemas"]["PlanStep"][];
            impossible: {
                name: string;
                changes: {
                    setting: string;
                    wanted: unknown;
                    live: unknown;
                }[];
                messages: number | null;
                waysOut: {
                    kind: "exact" | "policy" | "recreate" | "declare-as-is" | "rename";
                    text: string;
                }[];
            }[];
            leftovers: {
                queue: string;
                of: string;
                messages: number | null;
            }[];
            unmanaged: components["schemas"]["TopologyBinding"][];
            policyConflicts: {
                queue: string;
                key: string;
                policies: string[];
                consequence: string;
            }[];
            text: string;
        };
        TopologyFinding: {
            property: string;
            code: string;
            queue: string | null;
            path: string[];
            problem: string;
            wayOut: string;
        };
        PlaceOfLoss: {
            at: string;
            what: "on-the-way" | "due-meanwhile" | "everything";
        };
        TopologyProblems: {
            brokerVersion: string;
            isProved: boolean;
            properties: {
                property: string;
                holds: number;
                broken: number;
                accepted: number;
            }[];
            findings: components["schemas"]["TopologyFinding"][];
            accepted: {
                finding: components["schemas"]["TopologyFinding"];
                reason: string;
            }[];
            losesAt: {
                stop: components["schemas"]["PlaceOfLoss"][];
                crash: components["schemas"]["PlaceOfLoss"][];
            };
            assumptions: {
                text: string;
                queues: string[];
            }[];
            caveats: {
                text: string;
                queues: string[];
            }[];
            notes: {
                severity: string;
                text: string;
            }[];
        };
        ApplyResult: {
            kind: "applied";
            done: number;
            kept: number;
            skipped: number;
            failed: number;
            impossible: number;
            isComplete: boolean;
            results: {
                kind: "create-exchange" | "create-queue" | "add-binding" | "remove-binding" | "delete-queue";
                target: string;
                outcome: "done" | "kept" | "skipped" | "failed";
                problem: string | null;
            }[];
        };
        AuditRecord: {
            at: string;
            by: string;
            wayIn: string;
            from: string;
            action: string;
            target: string;
            reason: string | null;
            result: string;
            receiptDigest: string | null;
            writer: string;
            number: number;
            previous: string;
            after: string | null;
            afterOffset: number | null;
            hash: string;
            isSigned: boolean;
        };
        AuditPage: {
            items: components["schemas"]["AuditRecord"][];
            unreadable: number;
            nextCursor: string | null;
        };
        AdminQueues: {
            queues: {
                queue: string;
                messages: number | null;
            }[];
        };
        AdminMessage: {
            messageId: string | null;
            type: string | null;
            exchange: string;
            routingKey: string;
            headers: {
                [key: string]: unknown;
            };
            payload: string | null;
            payloadEncoding: "utf8" | "base64";
        };
        AdminMessages: {
            queue: string;
            messages: components["schemas"]["AdminMessage"][];
        };
        AdminRedriveRequest: {
            limit?: number;
        };
        AdminRedrive: {
            queue: string;
            requested: number;
            redriven: number;
            failed: number;
            kept: number;
            redriveId: string;
        };
        StartPage: {
            name: string;
            description: string;
            links: {
                documentation: string;
                openapi: string;
                logIn: string;
                permissions: string;
                deadLetterQueues: string;
                metrics: string;
                alive: string;
                ready: string;
            };
        };
        BrokerState: {
            product: string;
            version: string;
            vhost: string;
            isConnected: boolean;
            isHealthy: boolean;
            alarms: {
                node: string;
                resource: string;
            }[];
            warren: string;
        };
        Webhook: {
            name: string;
            queues: string[];
            rules: string[];
            waiting: number;
            accepted: number;
            acceptedAt: string | null;
            givenUp: number;
            failure: {
                at: string;
                reason: string;
            } | null;
        };
        WebhookList: {
            isSending: boolean;
            items: components["schemas"]["Webhook"][];
        };
        Demo: {
            now: string;
            isMended: boolean;
            orders: {
                placed: number;
                delivered: number;
                moving: number;
                waiting: number;
                parked: number;
            };
        };
        DemoClockRequest: {
            forward: string;
        };
        DemoWorldRequest: {
            isMended: boolean;
        };
        BrokerProblemCode: "CONNECTION_BAD_URL" | "CONNECTION_REFUSED" | "CONNECTION_TIMEOUT" | "CONNECTION_NOT_AMQP" | "CONNECTION_TLS_FAILED" | "CONNECTION_AUTHENTICATION_REFUSED" | "CONNECTION_VHOST_NOT_FOUND" | "CONNECTION_ACCESS_REFUSED" | "CONNECTION_LIMIT_REACHED" | "CONNECTION_MESSAGE_TOO_LARGE" | "CONNECTION_LOST" | "CONNECTION_HEARTBEAT_MISSED" | "CONNECTION_CLOSED_BY_BROKER" | "CONNECTION_CLOSED" | "CHANNEL_CLOSED" | "CHANNEL_CLOSED_BY_BROKER" | "CHANNEL_LIMIT_REACHED" | "CHANNEL_TIMEOUT" | "PUBLISH_DEADLINE" | "PUBLISH_QUEUE_FULL" | "PUBLISH_RETURN_UNMATCHED" | "PUBLISHER_CLOSED" | "MANAGEMENT_BAD_URL" | "MANAGEMENT_UNREACHABLE" | "MANAGEMENT_TIMEOUT" | "MANAGEMENT_UNAUTHORIZED" | "MANAGEMENT_FORBIDDEN" | "MANAGEMENT_NOT_FOUND" | "MANAGEMENT_REFUSED" | "MANAGEMENT_UNEXPECTED_ANSWER" | "MANAGEMENT_NOT_PROVED";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    showSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Credentials"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenedSession"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLoginWays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginWays"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followLink: {
        parameters: {
            query: {
                secret: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    beginLogin: {
        parameters: {
            query?: {
                returnTo?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    finishLogin: {
        parameters: {
            query?: {
                code?: string;
                state?: string;
                iss?: string;
                error?: string;
                error_description?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    leaveProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    myPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyPermissions"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDlqs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DlqList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCauses: {
        parameters: {
            query?: {
                groupBy?: string;
                where?: string;
                snapshot?: string;
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CauseList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                where?: string;
                snapshot?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showMessage: {
        parameters: {
            query?: {
                snapshot?: string;
            };
            header?: never;
            path: {
                queue: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageDetail"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showHistory: {
        parameters: {
            query?: {
                seconds?: number;
                points?: number;
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DepthHistory"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHistory: {
        parameters: {
            query?: {
                seconds?: number;
                points?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTraffic: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueTrafficList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSnapshots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    makeSnapshot: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SnapshotRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchSnapshot: {
        parameters: {
            query?: never;
            header?: {
                "last-event-id"?: string;
            };
            path: {
                queue: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSnapshotCauses: {
        parameters: {
            query?: {
                where?: string;
            };
            header?: never;
            path: {
                queue: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotCauses"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSnapshotFacets: {
        parameters: {
            query?: {
                where?: string;
                most?: number;
            };
            header?: never;
            path: {
                queue: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotFacets"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showSnapshotHistogram: {
        parameters: {
            query?: {
                where?: string;
                bars?: number;
            };
            header?: never;
            path: {
                queue: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotHistogram"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSnapshotMessages: {
        parameters: {
            query?: {
                where?: string;
                sort?: "position" | "diedAt" | "bodyBytes" | "attempts" | "-position" | "-diedAt" | "-bodyBytes" | "-attempts";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                queue: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotPage"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showSnapshotMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
                id: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotMessageDetail"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    planRedrive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedrivePlan"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startRedrive: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedriveRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"] | components["schemas"]["Approval"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editMessage: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                queue: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MessageRedriveRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                state?: components["schemas"]["TaskState"][];
                kind?: ("redrive" | "snapshot")[];
                queue?: string;
                by?: string;
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseTask: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeTask: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelTask: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchTask: {
        parameters: {
            query?: never;
            header?: {
                "last-event-id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                state?: ("waiting" | "granted" | "refused" | "expired")[];
                action?: ("redrive" | "discard" | "apply")[];
                queue?: string;
                by?: string;
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    grantApproval: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refuseApproval: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    writeNote: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeTask: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AcknowledgeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    downloadBackup: {
        parameters: {
            query?: {
                where?: string;
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discardMessages: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiscardRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discarded"];
                };
            };
            202: {
                headers: {
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBackups: {
        parameters: {
            query?: {
                purpose?: ("backup" | "discard")[];
                queue?: string;
                by?: string;
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fetchBackup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteBackup: {
        parameters: {
            query?: {
                force?: boolean;
                reason?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restoreBackup: {
        parameters: {
            query?: {
                queue?: string;
                acceptDeliveryLimit?: boolean;
                reason?: string;
            };
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": unknown;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchEvents: {
        parameters: {
            query?: {
                topics?: ("tasks" | "approvals" | "notes" | "dlqs" | "queues" | "backups")[];
            };
            header?: {
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showTopology: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompiledTopology"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showLiveTopology: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveTopology"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    planTopology: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopologyPlan"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showProblems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopologyProblems"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    applyTopology: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplyResult"];
                };
            };
            202: {
                headers: {
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                action?: string[];
                target?: string;
                by?: string;
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminQueues"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminMessages: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminMessages"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminRedrive: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AdminRedriveRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminRedrive"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartPage"];
                    "text/html": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    isAlive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    isReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    brokerState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerState"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showDemo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Demo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    turnDemoClock: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DemoClockRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Demo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mendDemo: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DemoWorldRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Demo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
