package app

import "github.com/haexcel/haexcel/shared/config"

// ClientConfig tells a front end the settings it may care about.
type ClientConfig struct {
	Config config.Config
}

// ClientConfigReply is the body of the answer.
type ClientConfigReply struct {
	ClientThreshold int    `json:"clientThreshold"` // rows up to which a front end may export by itself
	ZipThreshold    int64  `json:"zipThreshold"`    // rows from which on parts in a zip are made
	ChunkSize       int64  `json:"chunkSize"`       // rows of a part
	MaxBody         int64  `json:"maxBody"`         // bytes
	ReportZone      string `json:"reportZone"`
}

// Do lists the settings.
func (u *ClientConfig) Do() ClientConfigReply {
	return ClientConfigReply{
		ClientThreshold: u.Config.ClientThreshold,
		ZipThreshold:    u.Config.ZipThreshold,
		ChunkSize:       u.Config.ChunkSize,
		MaxBody:         u.Config.MaxBody,
		ReportZone:      u.Config.ReportZone.String(),
	}
}
